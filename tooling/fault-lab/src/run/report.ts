/** An invariant that a run has broken. */
export interface Violation {
  /** The name of the invariant's function. */
  readonly invariant: string
  /** Virtual ms since the beginning. */
  readonly at: number
  /** The event, in words. */
  readonly text: string
}

/** One thing that happened in a run, for people. */
export interface Moment {
  /** Virtual ms since the beginning. */
  readonly at: number
  /** A caller, an upstream, the chain, the gateway. */
  readonly who: string
  readonly text: string
}

export interface RunStats {
  readonly calls: number
  /** Results and errors of nodes. */
  readonly answered: number
  /** Errors of the gateway's own. */
  readonly refused: number
  /** Questions that upstreams were sent. */
  readonly exchanges: number
  readonly pushes: number
  /** Answers that were compared with the chain. */
  readonly judged: number
  /** Answers of the cache to single calls over HTTP. */
  readonly hits: number
}

/** Counts of what subscribers and pollers were told. */
export interface StreamCounts {
  /** Faults that took an upstream away. */
  readonly losses: number
  readonly reorgs: number
  readonly subscribers: number
  readonly pollers: number
  readonly events: number
  /** Times that the gateway ended a subscription. */
  readonly ends: number
  readonly gaps: number
  readonly duplicates: number
  readonly orderErrors: number
}

/** Counts that are nought. */
export const noStreams: StreamCounts = {
  losses: 0,
  reorgs: 0,
  subscribers: 0,
  pollers: 0,
  events: 0,
  ends: 0,
  gaps: 0,
  duplicates: 0,
  orderErrors: 0,
}

/** The outcome of one run. */
export interface Report {
  readonly seed: number
  readonly violations: readonly Violation[]
  /** Equal for equal runs: a hash over every exchange, answer and push, with their virtual times. */
  readonly traceHash: string
  readonly stats: RunStats
  /** Present where the plan has subscribers. */
  readonly streams?: StreamCounts
  /** Present where an invariant is broken. */
  readonly moments?: readonly Moment[]
}
