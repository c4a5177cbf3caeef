import { array, boolean, integer, is, oneOf, optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import { exact, time, words } from './fields.ts'
import { amount } from './traffic.ts'

/** How a call ended. `node_error`: with an error of its node; `refused`: by the gateway; `failed`: nobody answered it. */
export type LiveOutcome = 'answered' | 'node_error' | 'refused' | 'failed' | 'cancelled'

/** One attempt of a call at an upstream. */
export interface LiveAttempt {
  readonly upstream: string
  /** When it began, in ms after the call did. */
  readonly atMs: number
  /** Absent where it had no end of its own. */
  readonly ms?: number | undefined
  /** Whether another attempt was on its way when it began. */
  readonly isHedge: boolean
  /** `answered`, the kind of its failure, or `given_up`. */
  readonly outcome: string
}

/** A call that has ended. It holds no params, no key and no URL. */
export interface LiveCall {
  /** Its trace id, with suffixes for calls of a batch and of a connection. */
  readonly id: string
  /** Unix time in ms when it began. */
  readonly time: number
  /** The network and the next three are absent for a request that was refused before it was read. */
  readonly network?: string | undefined
  readonly method?: string | undefined
  /** The id of its project. */
  readonly project?: string | undefined
  readonly keyId?: string | undefined
  readonly outcome: LiveOutcome
  /** The HTTP status of a request that was refused; the code of an error. */
  readonly code?: number | string | undefined
  readonly ms: number
  /** The one that gave the answer. */
  readonly upstream?: string | undefined
  /** The outcome of the cache, where it may keep the answer. */
  readonly cache?: string | undefined
  /** Absent for a call that went well at once. */
  readonly attempts?: readonly LiveAttempt[] | undefined
  /** Time for which it waited for an upstream with room, in ms. */
  readonly queuedMs?: number | undefined
  /** One sentence; absent for a call that was answered well at once. */
  readonly cause?: string | undefined
  /** The process that it came to: `host:pid`, or `host:pid/worker 2`. */
  readonly process: string
}

/** The calls that a reader of the live tail wants; all members that it has must hold. */
export interface LiveCallQuery {
  readonly network?: string
  /** The id of a project. */
  readonly project?: string
  readonly method?: string
  readonly outcome?: LiveOutcome
  /** Only calls that took at least so long, in ms. */
  readonly minMs?: number
}

const outcome = oneOf<LiveOutcome>('answered', 'node_error', 'refused', 'failed', 'cancelled')
const name = words(1, 256)

export const liveCallQuery: Schema<LiveCallQuery> = exact<LiveCallQuery>('the calls that are wanted', {
  network: optional(name),
  project: optional(name),
  method: optional(name),
  outcome: optional(outcome),
  minMs: optional(integer('a number of whole ms, 0 or more', 0)),
})

const attempt: Schema<LiveAttempt> = exact<LiveAttempt>('an attempt', {
  upstream: name,
  atMs: amount,
  ms: optional(amount),
  isHedge: boolean,
  outcome: name,
})

const liveCall: Schema<LiveCall> = exact<LiveCall>('a call', {
  id: name,
  time,
  network: optional(name),
  method: optional(name),
  project: optional(name),
  keyId: optional(name),
  outcome,
  code: optional(
    is(
      'a number or a text',
      (value) => typeof value === 'number' || typeof value === 'string',
      () => ({ type: ['number', 'string'] }),
    ),
  ),
  ms: amount,
  upstream: optional(name),
  cache: optional(name),
  attempts: optional(array(attempt)),
  queuedMs: optional(amount),
  cause: optional(words(1, 10_000)),
  process: name,
})

/** The data of an event `calls`, and of the stream. */
export const liveCalls: Schema<readonly LiveCall[]> = {
  ...array(liveCall),
  expected:
    'events: `calls`, a list of calls that have ended, at most 200 each 100 ms; `dropped`, `{ count }` of those that came beyond that, or that the reader had no room for',
}

/** The data of an event `dropped`. */
export interface DroppedCalls {
  readonly count: number
}
