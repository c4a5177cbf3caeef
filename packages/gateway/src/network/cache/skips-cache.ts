import { defineExtension, type Extension, type RpcContext, type RpcRequest } from '@wayleave/jsonrpc-core'
import { GatewayContext } from '../../context/context.ts'

/** On a question that is asked for a call under another context: its caller wants answers of upstreams. */
const skipping: Extension<true> = defineExtension<true>('skipsCache')

/** Whether a call wants the answer of an upstream, and none of the cache. */
export function skipsCache(request: RpcRequest, context: RpcContext): boolean {
  return skipping.of(request) === true || wantsUpstream(context)
}

/** Has a question skip the cache as the call does for which it is asked. */
export function skippingAs(context: RpcContext, question: RpcRequest): RpcRequest {
  return wantsUpstream(context) ? skipping.on(question, true) : question
}

function wantsUpstream(context: RpcContext): boolean {
  return context instanceof GatewayContext && context.caller.skipsCache === true
}
