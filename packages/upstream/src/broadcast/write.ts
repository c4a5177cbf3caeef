import type { RpcError, RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'

/**
 * The news of a write in an upstream's answer:
 *
 * - `done`: it has the write, now or since earlier; `response` is for the caller.
 * - `refused`: it has not taken the write, and will not.
 * - `impossible`: nobody can do the write any more.
 * - `unknown`: it may have taken the write.
 * - `false`: the answer cannot be true, for the reason of `why`; it may have taken the write.
 */
export type WriteOutcome =
  | { readonly kind: 'done'; readonly response: RpcResponse }
  | { readonly kind: 'refused' | 'impossible' | 'unknown' }
  | { readonly kind: 'false'; readonly why: RpcError }

/** A write whose outcome can be told from the answers to it, such as a transaction. */
export interface Write {
  /** Whether it has its effect once, however often it arrives, so that several upstreams may get it, each once. */
  readonly isIdempotent: boolean
  /** Upstreams that get it at once, at least 1; of a write that is not idempotent 1. */
  readonly broadcast: number
  /** Whether an upstream may have it from an earlier call. */
  readonly mayBeDone: boolean
  /** Reads an answer. `ask` asks the upstream that gave it. Never throws. */
  outcomeOf(
    response: RpcResponse,
    ask: (question: RpcRequest) => Promise<RpcResponse>,
  ): WriteOutcome | Promise<WriteOutcome>
  /** Makes the error of a call that ends by `why` while an upstream may have done it, or may still do it. */
  inDoubt(why: RpcError): RpcError
}
