import type { RpcError, RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'
import type { Write, WriteOutcome } from './broadcast/write.ts'
import type { SlotRequest } from './call-slots.ts'
import type { MethodClass } from './health/class-health.ts'
import type { FailureKind } from './health/failure-kind.ts'
import type { Race } from './race.ts'
import type { Candidate } from './selection/candidate.ts'

/** The meaning of a peer's error that is no answer to the call: another upstream is asked. */
export interface ErrorVerdict {
  readonly kind: FailureKind
  /** Time that the upstream asked to be left alone, in ms. */
  readonly retryAfterMs?: number | undefined
}

/** The outcome of one attempt. */
export type AttemptOutcome =
  /** An answer, or one of last resort. `write`: what it tells of the write that was asked for. */
  | {
      readonly kind: 'answer' | 'spare'
      readonly response: RpcResponse
      readonly write?: WriteOutcome['kind'] | undefined
    }
  /** The upstream cannot serve the call; where it is known why, that is told. */
  | {
      readonly kind: 'refusal'
      readonly response: RpcResponse
      readonly verdict: ErrorVerdict | undefined
      readonly write?: WriteOutcome['kind'] | undefined
    }
  /** Another upstream may be asked. */
  | { readonly kind: 'failure'; readonly why: RpcError; readonly failure: FailureKind }
  /** The call ends with it. `failure`: how the upstream failed, if it may have done what it was asked. */
  | { readonly kind: 'final'; readonly why: RpcError; readonly failure?: FailureKind }
  /** It came to nothing, and nobody is to blame. */
  | { readonly kind: 'abandoned' }

/** A call on its way through the pool. */
export interface PoolCall extends SlotRequest {
  readonly request: RpcRequest
  readonly class: MethodClass
  /** Present for a write whose outcome its answers tell. */
  readonly write: Write | undefined
  /** Attempts begun so far. */
  attempts: number
  /** The first answer of last resort. */
  spare: RpcResponse | undefined
  /** Called once with the outcome of each attempt. */
  settled(outcome: AttemptOutcome, candidate: Candidate, race: Race | undefined): void
  /** Called where a function of the host has thrown. */
  broken(thrown: unknown): void
}
