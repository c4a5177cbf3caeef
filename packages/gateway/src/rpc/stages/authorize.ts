import { createAccessCheck, type DenialReason } from '@wayleave/auth'
import { RpcError, type RpcErrorObject, type RpcMiddleware } from '@wayleave/jsonrpc-core'
import type { NoteDenial } from '../../denial.ts'
import { deniedBySettings, deniedNetwork } from '../../errors.ts'
import type { AddressesOf } from '../../networks/call-addresses.ts'
import type { Caller, GatewayContext } from '../context.ts'

export interface AuthorizeOptions {
  /** Methods that nobody may call: names, or prefixes that end in `*`; in any case. Where there are any, strange names are denied, too. */
  readonly denyMethods: readonly string[]
  readonly addressesOf: AddressesOf
  readonly noteDenial: NoteDenial
}

/** Passes a call that the rules of its project allow and whose method is served. */
export function authorize({ denyMethods, addressesOf, noteDenial }: AuthorizeOptions): RpcMiddleware<GatewayContext> {
  const access = createAccessCheck({ addressesOf })
  const exact = new Set(denyMethods.filter((entry) => !entry.endsWith('*')).map(folded))
  const prefixes = denyMethods.filter((entry) => entry.endsWith('*')).map(folded)
  function isDenied(method: string): boolean {
    if (denyMethods.length === 0) return false
    if (isStrange.test(method)) return true
    const name = method.toLowerCase()
    return exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
  }

  function deny(reason: DenialReason, { principal, traceId, network }: Caller, method: string): Promise<never> {
    noteDenial({ reason, principal, traceId, network, method })
    return Promise.reject(refusalOf(reason === 'network' ? deniedNetwork(network) : deniedBySettings))
  }

  return (next) => (request, context) => {
    const { caller } = context
    const { method } = request
    const reason = caller.denied ?? access.decideCall(caller.principal, request).reason
    if (reason !== undefined) return deny(reason, caller, method)
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

function refusalOf(rpc: RpcErrorObject): RpcError {
  return new RpcError('denied', rpc.message, { delivery: 'not_sent', rpc })
}
