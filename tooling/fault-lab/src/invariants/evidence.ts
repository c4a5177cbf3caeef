import type { Plan } from '../plan.ts'
import type { Violation } from '../run/report.ts'
import type { SeenPolls, SeenStream } from '../run/seen-streams.ts'
import type { ReportedChain } from '../streams/fold.ts'
import type { Tally } from '../world/tally.ts'
import type { Seen } from '../run/seen.ts'
import type { Truth } from '../world/truth.ts'

/** Things that the gateway holds at one moment. */
export interface Census {
  /** Virtual ms. */
  readonly at: number
  readonly timers: number
  /** Questions to upstreams on their way, over HTTP. */
  readonly exchanges: number
  /** Connections to upstreams. */
  readonly sockets: number
  readonly heldBytes: number
  /** Calls of callers that are on their way. */
  readonly calls: number
}

/** A span in which an upstream was to be left alone. Times are virtual ms. */
export interface Exclusion {
  readonly upstream: string
  readonly why: string
  readonly from: number
  readonly until: number
}

/** All that an invariant is judged by. */
export interface Evidence {
  readonly plan: Plan
  readonly seen: Seen
  readonly streams: readonly SeenStream[]
  readonly polls: readonly SeenPolls[]
  readonly truth: Truth
  readonly chain: ReportedChain
  readonly tally: Pick<Tally, 'contents' | 'mostOpen'>
  readonly exclusions: readonly Exclusion[]
  /** Taken once a second. */
  readonly censuses: readonly Census[]
  /** Taken a while after all callers have left; `exchanges` are those alone that began before. */
  readonly idle: Census
  /** Taken after the gateway has closed. */
  readonly last: Census
  /** When callers left, in virtual ms. */
  readonly endedAt: number
}

/** Looks for breaches of one rule; the first few are enough. */
export type Invariant = (evidence: Evidence) => readonly Omit<Violation, 'invariant'>[]
