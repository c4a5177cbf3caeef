import { RpcError, type RpcMiddleware } from '@wayleave/jsonrpc-core'
import { deniedNetwork } from '../../errors.ts'
import type { GatewayContext } from '../context.ts'

export interface AuthorizeOptions {
  /** Methods that nobody may call: names, or prefixes that end in `*`; in any case. Where there are any, strange names are denied, too. */
  readonly denyMethods: readonly string[]
}

/** Passes a call whose project may use the network and whose method is served. */
export function authorize({ denyMethods }: AuthorizeOptions): RpcMiddleware<GatewayContext> {
  const exact = new Set(denyMethods.filter((entry) => !entry.endsWith('*')).map(folded))
  const prefixes = denyMethods.filter((entry) => entry.endsWith('*')).map(folded)
  function isDenied(method: string): boolean {
    if (denyMethods.length === 0) return false
    if (isStrange.test(method)) return true
    const name = method.toLowerCase()
    return exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
  }

  return (next) => (request, context) => {
    const { principal, network } = context.caller
    const { networks } = principal.project
    if (networks !== undefined && !networks.includes(network)) return Promise.reject(networkRefusal(network))
    const { method } = request
    if (isDenied(method)) {
      return Promise.resolve({
        error: { code: -32601, message: `the method ${method} does not exist/is not available` },
      })
    }
    return next(request, context)
  }
}

/** A node may read a letter from elsewhere, a space or a dot as it likes, and so find a denied method in such a name. */
const isStrange = /[^A-Za-z0-9_]/

/** Reads an entry of the list in any case, and without signs that no method has. */
function folded(entry: string): string {
  return entry.replace(/\W/g, '').toLowerCase()
}

function networkRefusal(network: string): RpcError {
  const rpc = deniedNetwork(network)
  return new RpcError('denied', rpc.message, { delivery: 'not_sent', rpc })
}
