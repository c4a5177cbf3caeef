import { defineExtension, type Extension, type RpcContext, type RpcRequest } from '@wayleave/jsonrpc-core'

/** A context that knows what its caller wants. */
export interface CallerContext extends RpcContext {
  readonly caller: {
    /** Whether its calls want answers of upstreams, and none of the cache. */
    readonly skipsCache?: boolean
  }
}

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
  return (context as Partial<CallerContext>).caller?.skipsCache === true
}
