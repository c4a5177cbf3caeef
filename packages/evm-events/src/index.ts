export { isAddedHead } from './added-head.ts'
export { type StreamBlock, streamBlockOf } from './block.ts'
export { type BranchOptions, findBranch } from './branch.ts'
export {
  type BlockAnswer,
  type BlockContents,
  type BlockLogs,
  type BlockLogsOptions,
  createBlockLogs,
  type WantedContents,
} from './block-logs.ts'
export type {
  Ask,
  BlockPosition,
  ChainListener,
  ChainStream,
  ChainUpdate,
  HeadSource,
  HeadUpdate,
} from './chain-source.ts'
export { type ChainStreamOptions, createChainStream } from './chain-stream.ts'
export { createEventStreams, type EventStreams, type EventStreamsOptions } from './event-streams.ts'
export { evmEvents, type EvmEventsOptions } from './evm-events.ts'
export { createFanOut, type FanOut, type FanOutOptions } from './fan-out.ts'
export { createFilterIndex, type FilterIndex } from './filter-index.ts'
export { createMemoryFilterStore, type FilterStore, type StoredFilter } from './filter-store.ts'
export { createFilters, filterMethods, type FiltersOptions, type PendingChanges } from './filters.ts'
export { getLogs, type GetLogsOptions } from './get-logs.ts'
export { lastBlockTo } from './last-block-to.ts'
export { type LogCriteria, logCriteriaOf, type MatchedLog, matchesLog } from './log-filter.ts'
export type { LogSegment } from './log-segments.ts'
export type { LogRangeLimits } from './segment-size.ts'
export {
  createPendingTransactions,
  type PendingReaders,
  type PendingTransactions,
  type PendingTransactionsOptions,
} from './pending-transactions.ts'
export { createRelay, type Relay, type RelayOptions } from './relay.ts'
export type { ResumeFrom } from './resume-from.ts'
export { createResume, type Resume, type ResumeOptions, type ResumePoint } from './resume.ts'
export type { StreamLog, StreamReceipt } from './stream-log.ts'
export type { SyncProgress } from './sync-status.ts'
