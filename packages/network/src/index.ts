export { redactErrors } from './redaction/redact-errors.ts'
export { createRedactor } from './redaction/redactor.ts'
export { upstreamSecrets } from './redaction/upstream-secrets.ts'
export { adaptedFrom } from './kinds/adapted-from.ts'
export type { CacheHeads, CacheKind } from './kinds/cache-kind.ts'
export type { AddressesOf } from './kinds/call-addresses.ts'
export { chainFelt } from './kinds/chain-felt.ts'
export { chainKey } from './kinds/chain-key.ts'
export { chainKinds, isKindName, type KindName, readChainId, type ReportingKind } from './kinds/chain-kinds.ts'
export { derivedFrom } from './kinds/derived-from.ts'
export type { ErrorAction } from './kinds/error-actions.ts'
export type { FlashblocksKind } from './kinds/evm-flashblocks.ts'
export type { RangeHeads, RangeKind } from './kinds/evm-ranges.ts'
export type { SenderKind } from './kinds/evm-senders.ts'
export type { SentTransaction, SigningKind } from './kinds/evm-sent.ts'
export type { SenderNonce } from './kinds/evm-reported.ts'
export { falseAnswerOf } from './kinds/false-answer.ts'
export type { HistoryKind, HistoryRead } from './kinds/history-kind.ts'
export { loadNetworkKinds } from './kinds/index.ts'
export { type CallClass, methodClassOf } from './kinds/method-class.ts'
export { opensSubscription } from './kinds/method-facts.ts'
export type { ApiVersions, Comparison, EventOptions, NetworkKind, NetworkSources } from './kinds/network-kind.ts'
export { composeStages, type PossibleStage, type Stage, stageNames } from './kinds/stage.ts'
export { type CallHints, hintsOf, withHints } from './hints/call-hints.ts'
export { askElsewhere } from './hints/excluded-upstreams.ts'
export type { EndpointOptions } from './endpoints/endpoints.ts'
export type { CallMarks } from './upstreams/call-marks.ts'
export { type Cordons, createCordons } from './upstreams/cordons.ts'
export {
  groupsForCalls,
  type ProjectUpstreams,
  projectUpstreams,
  showsUpstream,
  upstreamGroups,
} from './upstreams/project-upstreams.ts'
export type { CallPurpose, UpstreamCounts, UpstreamGauges } from './upstreams/upstream-counts.ts'
export type { CandidateThen, EndpointState, ProbedUpstreams } from './upstreams/upstream-states.ts'
export type { PendingSource, ViewOpener } from './upstreams/view-opener.ts'
export { verifiedMark, type VerifiedMark } from './verification/verified-mark.ts'
export { type StartCheckThread, startCheckThread } from './verification/check-thread.ts'
export type { FollowedChain } from './heads/followed-chain.ts'
export { createRewrittenChains } from './heads/rewritten-chains.ts'
export type { NetworkPool } from './pool/network-pool.ts'
export type { NetworkPoolOptions } from './pool/network-pool-options.ts'
export {
  type FilterStores,
  type FilterStoresOptions,
  type OpenFilters,
  openFilterStores,
} from './filters/filter-stores.ts'
export type { SubscriptionsOptions } from './streams/subscriptions.ts'
export { closeLife, createNetworkLife, type NetworkLife } from './life/network-life.ts'
export { createVerificationOpener, type OpenVerification } from './life/open-verification.ts'
export { openMemoryCache } from './cache/memory-cache.ts'
export type { OpenCache } from './cache/open-cache.ts'
export type { SharedAnswerCache } from './cache/shared-answer-cache.ts'
export { createNetwork, type Network, type NetworkOptions } from './network.ts'
export type { CacheCounts, CallerLimits, NetworkCounts, NetworkHost, UpstreamLimits } from './network-host.ts'
export { type NetworkSettings, openNetwork, type OpenNetworkOptions } from './open-network.ts'
