import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { ReceivedPost } from '../src/client-faults/hostile-node.ts'

/** A JSON-RPC error as a node sends it. */
export interface NodeError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/**
 * The outcome of a call.
 *
 * - `value`: the true one. `stale`: that of a node that stands still, where nobody else could know better.
 * - `outage`: the gateway's own error, which says so in words that match, with status 502, 503 or 504 where the request was one call.
 * - `error`: the node's error, unchanged, with status 200.
 */
export type Expected = 'value' | 'stale' | { readonly outage: RegExp } | { readonly error: NodeError }

/** A fault of one upstream, and the outcomes that callers must see. */
export interface Fault {
  /** What the upstream does: `answers 500`. */
  readonly name: string
  /** The reason why the outcomes are right. */
  readonly why: string
  readonly behaviour: Behaviour
  /** The outcome where a healthy upstream stands by. Default: the value. */
  readonly beside?: Expected
  /** The outcome where it is the only upstream. */
  readonly alone: Expected
  /** The outcome of a transaction there. Default: `alone`. */
  readonly aloneWrite?: Expected
  /**
   * Whether a transaction must reach the healthy upstream: the fault shows that it was not done. Default: where that is not known it may
   * end as if there were no other.
   */
  readonly movesOn?: boolean
  /** The gateway's deadline for a call, in ms. Default 8,000: on a busy machine, too, nothing else ends a call. */
  readonly deadlineMs?: number
  /** Whether a caller's call has to reach it where a healthy upstream stands by; `never`: it must not. Default: it has to. */
  readonly asked?: 'never' | 'maybe'
}

/** The behaviour of an upstream. Without `url`, `chainId`, `head` it begins when the gateway has had a good answer. */
export interface Behaviour {
  /** Answers a POST with a caller's call. The gateway's own questions are answered well: nothing but the call tells of the fault. */
  readonly onPost?: (post: ReceivedPost) => void
  /** Answers a caller's call over WebSocket, the true answer at hand; the gateway then has no other address of it. */
  readonly onMessage?: (answer: string, socket: WebSocket) => void
  /** Takes a connection, whoever opened it. Older ones are cut. */
  readonly onConnection?: (connection: Socket) => void
  /** Nobody listens, and all connections are cut. */
  readonly isGone?: boolean
  /** The URL of the upstream instead of its own, from its port. */
  readonly url?: (port: number) => string
  readonly chainId?: string
  /** A lower head, with values of its time. */
  readonly head?: number
  /** Whether another upstream, where nobody listens, stands behind it. */
  readonly isBesideDead?: boolean
  /** Whether the healthy upstream does the same. */
  readonly isEverywhere?: boolean
}
