import type { RpcError, RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'

/**
 * The news of a write in an upstream's answer:
 *
 * - `done`: it has the write, now or since earlier; `response` is for the caller, also where it is an error.
 * - `refused`: it has not taken the write, and will not.
 * - `absent`: it may have taken the write, by its words, and does not have it now; `response` is for the caller if no other one was asked.
 * - `unknown`: it may have taken the write.
 * - `false`: the answer cannot be true, for the reason of `why`; it may have taken the write.
 */
export type WriteOutcome =
  | { readonly kind: 'done' | 'absent'; readonly response: RpcResponse }
  | { readonly kind: 'refused' | 'unknown'; readonly response?: undefined }
  | { readonly kind: 'false'; readonly why: RpcError; readonly response?: undefined }

/** Whether an upstream may have a write that its words do not say that it has. */
export const mayHaveIt = (write: WriteOutcome['kind'] | undefined): boolean => write === 'unknown' || write === 'absent'

/** One call of a write whose outcome can be told from the answers to it, such as a transaction. */
export interface Write {
  /** Whether it has its effect once, however often it arrives, so that several upstreams may get it, each once. */
  readonly isIdempotent: boolean
  /** Upstreams that get it at once, at least 1; of a write that is not idempotent 1. */
  readonly broadcast: number
  /** Whether an upstream may have it from another call, by now. */
  mayBeDone(): boolean
  /** Called before each attempt. */
  begin(): void
  /** Called once, with the end of the call. `isRefused`: all that were asked have refused it, if any were. */
  end(isRefused: boolean): void
  /** Reads an answer. `ask` asks the upstream that gave it. Never throws. */
  outcomeOf(
    response: RpcResponse,
    ask: (question: RpcRequest) => Promise<RpcResponse>,
  ): WriteOutcome | Promise<WriteOutcome>
  /** Makes the error of a call that ends by `why` while an upstream may have done it, or may still do it. */
  inDoubt(why: RpcError): RpcError
}
