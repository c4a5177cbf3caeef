import type { RpcContext } from './context.ts'
import type { RpcRequest } from './request.ts'
import type { RpcResponse } from './response.ts'

/**
 * The contract of this package: a transport is a handler, a pool is a handler, a test double is a handler.
 * It RESOLVES when a peer answered (with an error, too) and REJECTS with an `RpcError` when none did.
 */
export type RpcHandler<in C extends RpcContext = RpcContext> = (request: RpcRequest, context: C) => Promise<RpcResponse>

/** Wraps a handler. The `Outer` context may know more of the caller than the `Inner` one. */
export type RpcMiddleware<Outer extends Inner, Inner extends RpcContext = RpcContext> = (
  next: RpcHandler<Inner>,
) => RpcHandler<Outer>
