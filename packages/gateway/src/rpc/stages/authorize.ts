import { RpcError, type RpcMiddleware } from '@wayleave/jsonrpc-core'
import { deniedNetwork } from '../../errors.ts'
import type { GatewayContext } from '../context.ts'

export interface AuthorizeOptions {
  /** Methods that nobody may call: names, or prefixes that end in `*`; in any case. */
  readonly denyMethods: readonly string[]
}

/** Passes a call whose project may use the network and whose method is served. */
export function authorize({ denyMethods }: AuthorizeOptions): RpcMiddleware<GatewayContext> {
  const exact = new Set(denyMethods.filter((entry) => !entry.endsWith('*')).map(folded))
  const prefixes = denyMethods.filter((entry) => entry.endsWith('*')).map(folded)
  const isDenied = (name: string): boolean => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
  return (next) => (request, context) => {
    const { principal, network } = context.caller
    const { networks } = principal.project
    if (networks !== undefined && !networks.includes(network)) return Promise.reject(networkRefusal(network))
    const { method } = request
    if (isDenied(folded(method))) {
      return Promise.resolve({
        error: { code: -32601, message: `the method ${method} does not exist/is not available` },
      })
    }
    return next(request, context)
  }
}

/** Reads a name as a lenient node may: in any case, and without spaces, soft hyphens and other signs that it ignores. */
function folded(method: string): string {
  return method.replace(/\W/g, '').toLowerCase()
}

function networkRefusal(network: string): RpcError {
  const rpc = deniedNetwork(network)
  return new RpcError('denied', rpc.message, { delivery: 'not_sent', rpc })
}
