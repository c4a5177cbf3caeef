import { RpcError, type RpcMiddleware } from '@wayleave/jsonrpc-core'
import type { GatewayContext } from '../context.ts'

export interface AuthorizeOptions {
  /** Methods that nobody may call: names, or prefixes that end in `*`; in any case. */
  readonly denyMethods: readonly string[]
}

/** Lets a call through whose project may use the network and whose method is served here. */
export function authorize({ denyMethods }: AuthorizeOptions): RpcMiddleware<GatewayContext> {
  const exact = new Set(denyMethods.filter((entry) => !entry.endsWith('*')).map(folded))
  const prefixes = denyMethods.filter((entry) => entry.endsWith('*')).map(folded)
  const isDenied = (name: string): boolean => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
  return (next) => (request, context) => {
    const { project, network } = context.caller
    const { networks } = project
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

/** A name as a lenient node may read it: in any case, and without what it does not see, such as spaces or a soft hyphen. */
function folded(method: string): string {
  return method.replace(/\W/g, '').toLowerCase()
}

function networkRefusal(network: string): RpcError {
  const message = `project ID does not have access to ${network}`
  return new RpcError('denied', message, { delivery: 'not_sent', rpc: { code: -32002, message } })
}
