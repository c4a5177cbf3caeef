import type { Offload } from '@wayleave/evm-verify'
import type { Clock, RpcContext, RpcHandler, RpcRequest } from '@wayleave/jsonrpc-core'
import type { SharedView } from '@wayleave/stores/shared-state'
import {
  type CallSlots,
  type Candidate,
  type ChainView,
  createHedging,
  createPool,
  createRetries,
  createSelection,
  type Endpoint,
  type HeadReader,
  type Selection,
  type SelectionCall,
  type SpendLedger,
} from '@wayleave/upstream'
import type { PinnedNetwork } from '../chains/pinned-config.ts'
import type { ConsensusConfig } from '../config/consensus-config.ts'
import { isRead, opensSubscription } from '../networks/method-facts.ts'
import type { NetworkKind } from '../networks/network-kind.ts'
import { type Log, told } from '../telemetry/log.ts'
import type { NetworkMetrics } from '../telemetry/metrics.ts'
import { attemptPurpose } from './attempt-purpose.ts'
import { type CandidatesOptions, createCandidates } from './candidates.ts'
import type { CallLane } from './capabilities.ts'
import { type Chain, type ChainOptions, createChain } from './chain.ts'
import { isChainUntold } from './chain-untold.ts'
import { isExaminable } from './is-examinable.ts'
import { networkConsensus, participant } from './consensus.ts'
import type { OpenEndpoint } from './endpoints.ts'
import { isLie } from '../networks/false-answer.ts'
import type { KeptHealth, UpstreamKnowledge } from './kept-upstreams.ts'
import { keptAt } from './kept-at.ts'
import { methodClassOf } from '../networks/method-class.ts'
import { isNull } from './needed-blocks.ts'
import { oneView, type Reasons } from './one-view.ts'
import { pinnedHead } from './pinned-head.ts'
import { policyFaults } from './policy-faults.ts'
import { groupsForCalls, type ProjectUpstreams } from './project-upstreams.ts'
import { createRanges } from './ranges.ts'
import { standingChanges } from './standing-reasons.ts'
import { type FollowedChain, followedChain } from './streams/followed-chain.ts'
import type { CandidateThen } from '../trace/call-record.ts'
import { markAnswer, markAttempt, markFailure } from '../trace/mark-attempts.ts'
import { failedAttempts } from './failed-attempts.ts'
import { watchSubscriptions } from './subscriptions/watch-subscriptions.ts'
import { untriedFirst } from './tried-at.ts'
import { budgetsOf, createUpstreamStates, type UpstreamStates } from './upstream-states.ts'
import { verdictsOf } from './verdicts.ts'
import type { VerificationOptions, verifyEndpoints } from './verification.ts'
import { createOwnQuestions } from './own-questions.ts'
import type { ViewOpener } from './view-opener.ts'

export interface NetworkPoolOptions {
  readonly network: string
  readonly kind: NetworkKind
  readonly config: Pick<PinnedNetwork, 'chainId' | 'upstreams' | 'policy'> & { readonly consensus?: ConsensusConfig }
  /** The upstreams that may be asked for calls of a lane. */
  readonly projects: ProjectUpstreams
  readonly endpoints: readonly OpenEndpoint[]
  /** Wraps endpoints in verification; undefined if no network verifies. */
  readonly verifyEndpoints: typeof verifyEndpoints | undefined
  /** Checks long answers elsewhere. Default: on this thread. */
  readonly offload?: Offload | undefined
  readonly reader: HeadReader
  /** Whether the gateway follows the heads of its upstreams. */
  readonly followsHeads: boolean
  /** Opens views that several processes share. Default: this one follows its upstreams itself. */
  readonly views?: ViewOpener | undefined
  /** The heads and nonces that callers were told. */
  readonly told: SharedView
  /** The units that all replicas have spent at an upstream, by its name; undefined where there are none. */
  readonly ledgerOf: (upstream: string) => SpendLedger | undefined
  readonly spends?: CandidatesOptions['spends']
  /** What is known of the upstreams so far; it is added to. */
  readonly knowledge: UpstreamKnowledge
  readonly slots: CallSlots
  /** Upstreams that get a signed transaction at once. Default 1. */
  readonly broadcast?: number | undefined
  /** Longest answer that is held to be verified or translated, in bytes. */
  readonly maxBytes: number
  /** Called with the name of an upstream that was found to answer falsely, or to be of another chain. */
  readonly onFalse?: ((endpoint: string, isFalse: boolean) => void) | undefined
  readonly clock: Clock
  /** A number from 0 up to 1. */
  readonly random: () => number
  readonly log: Log
  readonly metrics: NetworkMetrics
}

/** The pool of a network's upstreams. */
export interface NetworkPool {
  readonly handler: RpcHandler
  readonly selection: Selection
  readonly states: UpstreamStates
  /** Returns the upstreams as they stand for a call. */
  readonly candidates: (request: RpcRequest, context: CallLane) => readonly CandidateThen[]
  /** The most blocks of a call for logs that its upstreams are known to take; undefined: no limit is known. */
  readonly mostBlocks: (request: RpcRequest, context: RpcContext) => number | undefined
  /** The chain, where heads are followed. */
  readonly chain: Chain | undefined
  /** The chain as subscriptions are made from it, where heads are followed. */
  readonly followed: FollowedChain | undefined
  readonly scheduleProbe: KeptHealth['probe']
  /** Whether no upstream is asked anything for a call, nor gives an answer. */
  readonly isIdle: () => boolean
  close(): Promise<void>
}

/** Creates the pool of a network's upstreams, with verification and translation per endpoint, and tells the log of what goes wrong. */
export function createNetworkPool(options: NetworkPoolOptions): NetworkPool {
  const { network, kind, config, projects, reader, knowledge, slots, maxBytes, clock, random, log, metrics } = options
  const { facts, apiVersions } = kind
  const { consensus, policy } = config
  const groupsFor = groupsForCalls(projects, facts)
  const viewOfHeads = (): ChainView | undefined => chain?.view
  const ranges = kind.ranges && createRanges({ kind: kind.ranges, view: viewOfHeads, known: knowledge.ranges, clock })
  const endpoints = ranges?.watch(options.endpoints) ?? options.endpoints

  const onAnswer: VerificationOptions['onAnswer'] = (endpoint, method, outcome, why) => {
    metrics.verified(endpoint, method, outcome)
    if (why === undefined) return
    const fields = { network, endpoint, method, field: told(why.field), reason: told(why.message) }
    log.repeats.warn(['unverified', network, endpoint, method], fields, 'an answer does not verify')
  }
  const verified = options.verifyEndpoints?.(endpoints, {
    clock,
    chainId: Number(options.config.chainId),
    maxBytes,
    latestOf: (name) => chain?.latestOf(name),
    onAnswer,
    onLie(name, method) {
      const { health } = named(name)
      const now = clock.now()
      health.failed(health.begin(classOf(method), now), 'false_answer', now)
    },
    offload: options.offload,
  })
  const onNewer = ({ name: endpoint }: Endpoint, version: string): void =>
    log.warn({ network, endpoint, version }, 'an upstream speaks a version newer than all known ones')
  const translated = apiVersions?.translate(endpoints, { clock, maxBytes, onNewer })

  const own = createOwnQuestions({
    ...options,
    endpoints,
    view: (): ChainView => view,
    // A provider counts it, too.
    count(name, purpose, { method }) {
      const { spend } = named(name)
      metrics.asked(name, purpose, spend?.priceOf(method) ?? 0)
      spend?.begin(method, clock.now())
    },
  })
  const wrapped = translated?.endpoints ?? verified?.endpoints ?? endpoints
  const candidates = createCandidates(wrapped, options.config, {
    ...options,
    slots: slots.perEndpoint,
    healths: knowledge.healths,
    onProbeDue: own.prober.schedule,
  })
  const named = (name: string): Candidate => candidates.find(({ endpoint }) => endpoint.name === name)!
  const isOnDemand = ({ name }: Endpoint): boolean => named(name).tier === 'fallback'
  const mayExamine: ChainOptions['mayExamine'] = ({ name }, question) =>
    isExaminable(named(name), config, selection, clock.now(), question)
  const mayAsk: ChainOptions['mayAsk'] = ({ name }, request, context) =>
    selection.reason(named(name), callOf(request, context)) === undefined
  const chain: Chain | undefined = options.followsHeads
    ? createChain({
        ...options,
        ...knowledge,
        endpoints,
        own,
        onAsk: own.onAsk,
        isOnDemand,
        mayExamine,
        mayAsk,
      })
    : undefined
  const view: ChainView = chain?.view ?? own.openView({ endpoints, reader, clock, isOnDemand, onAsk: own.onAsk })
  const selection = createSelection({
    candidates,
    random,
    ...(policy && { order: policy, onPolicyFault: policyFaults(network, log) }),
    prefers: untriedFirst(chain?.capabilities?.prefers ?? translated?.prefers),
    ...(chain && { standingOf: chain.standingOf, lagOf: chain.lagOf }),
    excludes(candidate, call) {
      const { name } = candidate.endpoint
      if ((keptAt.of(call.request) ?? name) !== name) return 'not_chosen'
      if (isChainUntold(candidate, call, view, selection)) return 'chain_untold'
      const reason = subscriptions?.excludes(candidate, call) ?? chain?.excludes(candidate, call)
      return reason ?? ranges?.excludes(candidate.endpoint, call.request)
    },
    onStanding: standingChanges(network, log, options.onFalse),
  })
  const states = createUpstreamStates({
    view,
    historyOf: chain?.capabilities?.oldestOf,
    followsHeads: options.followsHeads,
    selection,
    budgetOf: budgetsOf(config),
    clock,
  })
  const tellFailure = failedAttempts(network, log)
  const [classOf, verdictOf] = [methodClassOf(facts), verdictsOf(kind)]
  const isWeak = translated?.isLastResort ?? verified?.isLastResort
  const asking = createPool({
    selection,
    slots,
    clock,
    hedging: createHedging(),
    retries: createRetries({ random }),
    ...(verified && { isVerified: verified.isVerified }),
    ...(translated && { isRefusal: translated.isRefusal }),
    isLastResort: (response, spare, request, endpoint, context) =>
      isWeak?.(response, spare, request, endpoint, context) === true ||
      chain?.isOdd(endpoint, request, response, participant.of(request) === undefined ? context : undefined) === true ||
      (isNull(response) && kind.neverNull?.has(request.method) === true),
    ...(chain && { ready: chain.ready }),
    onAnswer(endpoint, request, response, ms, context) {
      markAnswer(endpoint, context, ms)
      metrics.upstreamAnswered(endpoint.name, ms)
      if (participant.of(request) === undefined) chain?.answered(endpoint, request, response, context.lane)
    },
    onAttempt(endpoint, request, context, isHedge, now) {
      markAttempt(endpoint, context, isHedge, now)
      const units = named(endpoint.name).spend?.priceOf(request.method) ?? 0
      metrics.asked(endpoint.name, attemptPurpose(facts, request, context.lane, isHedge), units)
    },
    verdictOf,
    isFalse: isLie,
    classOf: ({ method }) => classOf(method),
    groupsOf: ({ lane }, { method }) => groupsFor(lane, method),
    isRepeatable: ({ method }) => isRead(facts, method),
    opensSubscription: ({ method }) => opensSubscription(facts, method),
    ...(kind.signing && { writeOf: kind.signing.writes(options.broadcast ?? 1) }),
    onFailure(endpoint, failure, why, request, context, ms) {
      markFailure(endpoint, failure, why, context, ms)
      chain?.capabilities?.failed(endpoint, request, failure)
      metrics.upstreamFailed(endpoint.name, failure)
      if (why instanceof Error) chain?.view.failed(endpoint, why)
      tellFailure(endpoint.name, failure, why)
    },
  })
  const pinned = chain && pinnedHead(chain, asking, reader, clock)
  const compared =
    consensus === undefined || pinned === undefined || kind.comparison === undefined
      ? asking
      : networkConsensus({
          ...options,
          groupsFor,
          config: consensus,
          comparison: kind.comparison,
          pool: asking,
          selection,
          view,
          headToPin: pinned,
          classOf,
          verdictOf,
          isOdd: chain!.isOdd,
          isProven: (response) => verified?.isProven(response) === true,
          answered(request, response, { lane }) {
            const given = endpoints.find(({ name }) => name === response.meta?.endpoint)
            if (given !== undefined) chain!.answered(given, request, response, lane)
          },
        })
  const callOf = (request: RpcRequest, { lane }: CallLane): SelectionCall => {
    const groups = groupsFor(lane, request.method)
    return { request, class: classOf(request.method), now: clock.now(), groups, opensSubscription: false }
  }
  const reasons: Reasons = (request, context) => states.candidates(callOf(request, context)).map(({ reason }) => reason)
  const pool = ranges?.refuse(compared, { selection, callOf }) ?? compared
  const subscriptions = chain && watchSubscriptions({ facts, pool, selection, view, groupsOf: projects.reads, clock })
  const consistent = chain && subscriptions && oneView(subscriptions.handler, chain, reasons, clock)
  const handler: RpcHandler =
    consistent === undefined
      ? pool
      : (request, context) => {
          view.wanted()
          chain?.capabilities?.wanted()
          return consistent(request, context)
        }
  return {
    handler,
    followed: followedChain(chain, chain && pinnedHead(chain, handler, reader, clock), candidates),
    selection,
    states,
    candidates: (request, context) => states.candidates(callOf(request, context)),
    mostBlocks: (request, context) => ranges?.mostBlocks(request, callOf(request, context), selection),
    scheduleProbe: own.prober.schedule,
    isIdle: () => candidates.every(({ slots: { free, capacity } }) => free === capacity),
    chain,
    async close() {
      own.prober.close()
      chain?.capabilities?.close()
      subscriptions?.close()
      await view.close()
    },
  }
}
