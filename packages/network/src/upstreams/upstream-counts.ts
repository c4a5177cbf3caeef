import type { BreakerState } from '@wayleave/jsonrpc-core'
import type { ConsensusOutcome, SpentUnits, Exclusion } from '@wayleave/upstream'

/**
 * The purpose of a call to an upstream: a caller's, one beside another of the same call, one that opens a subscription, the gateway's own for
 * fees, for heads, and for whether the right node is there; and each further one whose answer is compared with the first.
 */
export type CallPurpose = 'caller' | 'hedge' | 'consensus' | 'stream' | 'fee' | 'head' | 'probe'

/** The outcome of an answer that was verified. */
export type VerificationOutcome = 'proven' | 'consistent' | 'unverifiable' | 'refused'

/** The counts of a network's upstreams. */
export interface UpstreamCounts {
  /** Counts a call to an upstream, by what it is for, and the units that its provider counts; 0 where it has no budget. */
  asked(endpoint: string, purpose: CallPurpose, units: number): void
  /** Counts an answer of an upstream to a call of the pool, and the time that it took, in ms. */
  upstreamAnswered(endpoint: string, ms: number): void
  /** Counts an attempt that failed, by its kind. */
  upstreamFailed(endpoint: string, failure: string): void
  /** Counts an answer of an endpoint that was verified. */
  verified(endpoint: string, method: string, outcome: VerificationOutcome): void
  /** Counts a call that several upstreams were asked, by its outcome. */
  compared(outcome: ConsensusOutcome): void
}

/** The state of an upstream, as it is when the metrics are printed. */
export interface UpstreamGauges {
  readonly endpoint: string
  /** Why it is not asked like the others; undefined where it is. */
  readonly exclusion: Exclusion | undefined
  /** The height of its last head, and the blocks that it is behind; undefined where it has told none. */
  readonly head: number | undefined
  readonly lag: number | undefined
  readonly breaker: BreakerState
  /** Units that it has cost; undefined where it has no budget. */
  readonly spent: SpentUnits | undefined
  /** The units that it may cost; undefined: no bound. */
  readonly budget: { readonly day: number | undefined; readonly month: number | undefined }
}
