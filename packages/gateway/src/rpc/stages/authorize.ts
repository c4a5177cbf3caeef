import { createAccessCheck, type DenialReason } from '@wayleave/auth'
import { RpcError, type RpcErrorObject, type RpcMiddleware, type RpcRequest } from '@wayleave/jsonrpc-core'
import type { AddressesOf } from '@wayleave/network'
import type { NoteDenial } from '../../denial.ts'
import { createMethodDenial } from '../../config/denied-methods.ts'
import { deniedBySettings, deniedNetwork, noSuchMethod } from '../../errors.ts'
import { because } from '../../trace/call-trace.ts'
import type { GatewayContext } from '../../context/context.ts'

export interface AuthorizeOptions extends CallCheckOptions {
  /** Methods that nobody may call: names, or prefixes that end in `*`; in any case. Where there are any, strange names are denied, too. */
  readonly denyMethods: readonly string[]
  /** The exact names of the methods that are served. Default: all that are not denied. */
  readonly allowMethods?: readonly string[] | undefined
}

export interface CallCheckOptions {
  readonly addressesOf: AddressesOf
  readonly noteDenial: NoteDenial
}

/** Makes the check of a call against the rules of its project: it gives the refusal, if any. */
export function createCallCheck({
  addressesOf,
  noteDenial,
}: CallCheckOptions): (request: RpcRequest, context: GatewayContext) => RpcError | undefined {
  const access = createAccessCheck({ addressesOf })
  return (request, context) => {
    const { caller } = context
    const { principal, traceId, network } = caller
    const reason = caller.denied ?? access.decideCall(principal, request).reason
    if (reason === undefined) return undefined
    because(context, `the project ${principal.project.name} does not allow it: ${denialTexts[reason]}`)
    noteDenial({ reason, principal, traceId, network, method: request.method })
    return refusalOf(reason === 'network' ? deniedNetwork(network) : deniedBySettings)
  }
}

const denialTexts: Readonly<Record<DenialReason, string>> = {
  network: 'the network is not among its networks',
  source: 'the address of the caller is not among its sources',
  origin: 'the origin is not among its origins',
  user_agent: 'the user agent is not among its user agents',
  method: 'the method is not among its methods',
  address: 'an address of the call is not among its addresses',
}

/** Passes a call that the rules of its project allow and whose method is served. */
export function authorize({ denyMethods, allowMethods, ...options }: AuthorizeOptions): RpcMiddleware<GatewayContext> {
  const check = createCallCheck(options)
  const isDenied = createMethodDenial(denyMethods, allowMethods)
  const why =
    allowMethods === undefined
      ? 'the method is denied for everyone (methods.deny)'
      : 'the method is not among methods.allow of the network, or denied for everyone (methods.deny)'
  return (next) => (request, context) => {
    const refusal = check(request, context)
    if (refusal !== undefined) return Promise.reject(refusal)
    const { method } = request
    if (isDenied(method)) {
      because(context, why)
      return Promise.resolve({ error: noSuchMethod(method) })
    }
    return next(request, context)
  }
}

function refusalOf(rpc: RpcErrorObject): RpcError {
  return new RpcError('denied', rpc.message, { delivery: 'not_sent', rpc })
}
