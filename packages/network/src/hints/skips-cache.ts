import type { RpcContext, RpcRequest } from '@wayleave/jsonrpc-core'
import { hintsOf, withHints } from './call-hints.ts'

/** A context that knows what its caller wants. */
export interface CallerContext extends RpcContext {
  readonly caller: {
    /** Whether its calls want answers of upstreams, and none of the cache. */
    readonly skipsCache?: boolean
  }
}

/** Whether a call wants the answer of an upstream, and none of the cache. */
export function skipsCache(request: RpcRequest, context: RpcContext): boolean {
  return hintsOf(request).skipCache || wantsUpstream(context)
}

/** Has a question skip the cache as the call does for which it is asked. */
export function skippingAs(context: RpcContext, question: RpcRequest): RpcRequest {
  return wantsUpstream(context) ? withHints(question, { skipCache: true }) : question
}

function wantsUpstream(context: RpcContext): boolean {
  return (context as Partial<CallerContext>).caller?.skipsCache === true
}
