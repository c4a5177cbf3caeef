export type { AttemptOptions } from './attempt.ts'
export type { ErrorVerdict } from './attempt-outcome.ts'
export type { Write, WriteOutcome } from './broadcast/write.ts'
export { type AskQuestion, createExaminer, type Examiner, type ExaminerOptions } from './capabilities/examiner.ts'
export { findOldest, type OldestBounds } from './capabilities/find-oldest.ts'
export {
  createHistory,
  type History,
  type HistoryOptions,
  type KnownHistory,
  type Retention,
} from './capabilities/history.ts'
export { type CallSlots, type CallSlotsOptions, createCallSlots, type Slot, type SlotRequest } from './call-slots.ts'
export type { ComparisonOptions } from './consensus/ballot.ts'
export { createConsensus } from './consensus/consensus.ts'
export {
  consensusOutcome,
  type ConsensusOptions,
  type ConsensusOutcome,
  type ConsensusRules,
} from './consensus/consensus-options.ts'
export { type ComparisonRules, likenessOf } from './consensus/likeness.ts'
export type { Endpoint } from './endpoint.ts'
export { createHedging, type Hedging, type HedgingOptions, patienceMs } from './failsafe/hedging.ts'
export { joinBatches, type JoinBatchesOptions } from './batches/join-batches.ts'
export { createRetries, type Retries, type RetriesOptions } from './failsafe/retries.ts'
export { createFairShare, type FairShare } from './fair-share.ts'
export { createLine, type Line, type Place } from './line.ts'
export type { ClassHealth, MethodClass } from './health/class-health.ts'
export { type FailureKind, failureKindOf, summariseFailures } from './health/failure-kind.ts'
export type { HoldOffReason } from './health/hold-off.ts'
export type { LatencySketch } from './health/latency-sketch.ts'
export { createProber, type Prober, type ProberOptions } from './health/prober.ts'
export {
  createUpstreamHealth,
  type FailureDetails,
  type HealthReason,
  type HealthTicket,
  type UpstreamHealth,
  type UpstreamHealthOptions,
} from './health/upstream-health.ts'
export { type AskedRange, blocksOf, type RangeReason, type RangeRefusal } from './ranges/asked-range.ts'
export {
  createRangeLimits,
  type KnownLimit,
  type KnownRanges,
  type RangeLimits,
  type RangeLimitsOptions,
} from './ranges/range-limits.ts'
export { watchRanges, type WatchRangesOptions } from './ranges/watch-ranges.ts'
export { wasUnasked } from './no-answer.ts'
export { createPool, type PoolOptions } from './pool.ts'
export { type Candidate, type CandidateOptions, createCandidate, type Tier } from './selection/candidate.ts'
export type { PolicyFault } from './selection/guarded-order.ts'
export { isStale, repeatStale, type RepeatStaleOptions } from './repeat-stale.ts'
export {
  createMethodFilter,
  createMethodTable,
  type MethodRules,
  type MethodTable,
  sendsByName,
} from './selection/method-table.ts'
export { primariesFirst, ranked, type SelectionCall, type UpstreamOrder } from './selection/order.ts'
export { powerOfTwo, type PowerOfTwoOptions } from './selection/power-of-two.ts'
export {
  type CallReason,
  createSelection,
  type ExclusionReason,
  type HostReason,
  type Selection,
  type SelectionOptions,
  type Exclusion,
} from './selection/selection.ts'
export { createSpend, type Spend, type SpendLedger, type SpendOptions, type SpentUnits } from './selection/spend.ts'
export type { AskPurpose } from './heads/ask.ts'
export type { ChainState } from './heads/chain-question.ts'
export { type ChainView, createChainView } from './heads/chain-view.ts'
export type { ChainViewOptions } from './heads/chain-view-options.ts'
export type { EndpointView } from './heads/endpoint-view.ts'
export type { HeadReader, HeadTag, SettledTag } from './heads/head-reader.ts'
export type { HeadUpdate } from './heads/head-update.ts'
export type { Header, Position } from './heads/position.ts'
export type { HeadHealth } from './heads/served-head.ts'
export { createTurns, type Turns, type TurnsOptions } from './turns.ts'
