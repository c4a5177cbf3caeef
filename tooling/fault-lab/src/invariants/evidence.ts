import type { Plan, Question } from '../plan.ts'
import type { Violation } from '../run/report.ts'
import type { Seen } from '../run/seen.ts'

/** Things that the gateway holds at one moment. */
export interface Census {
  /** Virtual ms. */
  readonly at: number
  readonly timers: number
  /** Questions to upstreams on their way, over HTTP. */
  readonly exchanges: number
  /** Connections to upstreams. */
  readonly sockets: number
  /** Calls that wait for an upstream's slot. */
  readonly waiting: number
  /** Slots of upstreams that are taken. */
  readonly slots: number
  readonly heldBytes: number
  /** Calls of callers that are on their way. */
  readonly calls: number
  /** Subscriptions of callers at upstreams; those of the gateway's own do not count. */
  readonly subscriptions: number
}

/** One time that an upstream was given a transaction. */
export interface Sending {
  readonly upstream: string
  readonly hash: string
  readonly at: number
  /** When its answer had reached the gateway whole; undefined: it never did. */
  readonly answeredAt: number | undefined
}

/** The chain and the nodes as they really were. */
export interface Truth {
  /**
   * Why a result is not what the chain answers at any moment of a span of virtual ms; undefined: it is, or nothing can be said.
   * `isStrange`: it belongs to another chain.
   */
  judge(
    question: Question,
    result: unknown,
    from: number,
    to: number,
  ): { readonly why: string; readonly isStrange: boolean } | undefined
  /** Each time that an upstream was given a transaction. */
  readonly sendings: readonly Sending[]
  /** Whether a transaction is on the chain at the end, or was at any time. */
  wasMined(hash: string): boolean
  /** The hash of a transaction in its network form. */
  hashOf(raw: string): string
  /** The times of reorganisations, in virtual ms. */
  readonly reorgs: readonly number[]
}

/** All that an invariant is judged by. */
export interface Evidence {
  readonly plan: Plan
  readonly seen: Seen
  readonly truth: Truth
  /** The spans in which the gateway left an upstream alone as cordoned, or as of another chain. */
  readonly exclusions: readonly {
    readonly upstream: string
    readonly why: string
    readonly from: number
    /** Undefined: to the end. */
    until: number | undefined
  }[]
  /** Taken once a second. */
  readonly censuses: readonly Census[]
  /** Taken a while after all callers have left. */
  readonly idle: Census
  /** Taken after the gateway has closed. */
  readonly last: Census
  /** When callers left, in virtual ms. */
  readonly endedAt: number
}

/** Looks for breaches of one rule; the first few are enough. */
export type Invariant = (evidence: Evidence) => readonly Omit<Violation, 'invariant'>[]
