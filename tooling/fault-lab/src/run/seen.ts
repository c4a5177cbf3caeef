import type { RpcErrorCode } from '@wayleave/jsonrpc-core'
import type { CacheOutcome } from '@wayleave/rpc-cache'
import type { CallPlan, Question } from '../plan.ts'

/** The answer to one question, as its caller got it. */
export interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
  /** The gateway's reason not to give an upstream's answer; undefined for an answer, and in batches. */
  readonly rejected?: RpcErrorCode | undefined
  /** The upstream that answered; undefined in batches, and where nobody did. */
  readonly upstream?: string | undefined
  /** How far the answer was verified; undefined in batches, and where it was not. */
  readonly level?: string | undefined
  readonly attempts?: number | undefined
  /** How the cache took part; undefined in batches, on sockets, and where it did not. */
  readonly cache?: CacheOutcome | undefined
}

/** One call of a caller. Times are virtual ms. */
export interface SeenCall {
  readonly plan: CallPlan
  /** The questions as they were sent. */
  readonly questions: readonly Question[]
  readonly at: number
  readonly deadline: number
  /** When it was answered, or its connection ended. */
  settledAt: number | undefined
  /** In the order of the questions; undefined where the connection ended before. */
  answers: readonly Answer[] | undefined
}

/** A subscription that a caller was given. */
export interface SeenSubscription {
  readonly id: string
  readonly kind: string
  readonly call: SeenCall
  readonly openedAt: number
  readonly events: { readonly at: number; readonly result: unknown }[]
  /** When the caller ended it, or the connection was closed. */
  endedAt: number | undefined
}

/** All that callers saw of a run. */
export interface Seen {
  readonly calls: readonly SeenCall[]
  readonly subscriptions: readonly SeenSubscription[]
}
