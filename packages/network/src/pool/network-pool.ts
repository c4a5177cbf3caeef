import type { RpcContext, RpcHandler, RpcMiddleware, RpcRequest } from '@wayleave/jsonrpc-core'
import {
  type Candidate,
  type ChainView,
  createHedging,
  createPool,
  createRetries,
  createSelection,
  type Endpoint,
  type Selection,
  type SelectionCall,
} from '@wayleave/upstream'
import { shortened } from '@wayleave/telemetry'
import { isInvalid } from '../kinds/false-answer.ts'
import { isRead, opensSubscription, unknownIn } from '../kinds/method-facts.ts'
import { methodClassOf } from '../kinds/method-class.ts'
import { attemptPurpose } from './attempt-purpose.ts'
import { createCandidates } from '../upstreams/candidates.ts'
import { checkedChain } from '../heads/checked-chain.ts'
import type { CallTenant } from '../upstreams/capabilities.ts'
import { type Chain, createChain } from '../heads/chain.ts'
import type { ChainOptions } from '../heads/chain-options.ts'
import { isChainUnreported } from '../upstreams/chain-unreported.ts'
import { isExaminable } from '../upstreams/is-examinable.ts'
import { nodesOf } from '../config/same-nodes.ts'
import { networkConsensus } from './consensus.ts'
import { keepSenders } from '../transactions/keep-senders.ts'
import type { KeptHealth } from '../upstreams/kept-upstreams.ts'
import { lacksValue, valueOrError } from '../heads/missing-value.ts'
import { oneView, type Reasons } from '../heads/one-view.ts'
import { pinnedHead } from '../heads/pinned-head.ts'
import { policyFaults } from '../upstreams/policy-faults.ts'
import { groupsForCalls } from '../upstreams/project-upstreams.ts'
import { createRanges } from './ranges.ts'
import { exclusionChanges } from '../upstreams/exclusion-reasons.ts'
import { type FollowedChain, followedChain } from '../heads/followed-chain.ts'
import { failedAttempts } from '../upstreams/failed-attempts.ts'
import { watchSubscriptions } from '../subscriptions/watch-subscriptions.ts'
import { untriedFirst } from '../hints/excluded-upstreams.ts'
import {
  budgetsOf,
  type CandidateThen,
  createUpstreamStates,
  type UpstreamStates,
} from '../upstreams/upstream-states.ts'
import { verdictsOf } from '../upstreams/verdicts.ts'
import type { VerificationOptions } from '../verification/verification.ts'
import type { NetworkPoolOptions } from './network-pool-options.ts'
import { createOwnQuestions } from '../upstreams/own-questions.ts'
import { hintsOf } from '../hints/call-hints.ts'

/** The stages above the pool, as far as the network has them. */
export interface PoolStages {
  /** Makes the answers of several upstreams one view. */
  readonly oneView: RpcMiddleware<RpcContext> | undefined
  /** Has the calls of each sender go to one upstream. */
  readonly keepSenders: RpcMiddleware<RpcContext> | undefined
  /** Ends subscriptions of an upstream that has fallen silent; for calls that open one. */
  readonly watchSubscriptions: RpcMiddleware<RpcContext> | undefined
  /** Answers calls for ranges that every upstream would refuse. */
  readonly refuseRanges: RpcMiddleware<RpcContext> | undefined
  /** Has the methods of `consensus` answered by several upstreams. */
  readonly compare: RpcMiddleware<RpcContext> | undefined
}

/** The pool of a network's upstreams. */
export interface NetworkPool {
  readonly stages: PoolStages
  /** Asks an upstream that may be asked, and others where it fails. */
  readonly asking: RpcHandler
  /** Has questions for the head, from here on, pass the stages above the pool as calls do. `composed`: those stages over `asking`. */
  begin(composed: RpcHandler): void
  readonly selection: Selection
  readonly states: UpstreamStates
  /** Returns the upstreams as they stand for a call. */
  readonly candidates: (request: RpcRequest, context: CallTenant) => readonly CandidateThen[]
  /** The most blocks of a call for logs that its upstreams are known to take; undefined: no limit is known. */
  readonly mostBlocks: (request: RpcRequest, context: RpcContext) => number | undefined
  /** Takes from the retry budget; false where it is spent. */
  readonly mayTryParts: () => boolean
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
  const { network, kind, config, projects, reader, knowledge, slots, maxBytes, clock, random, log, metrics, marks } =
    options
  const { facts, apiVersions } = kind
  const { consensus, policy } = config
  const groupsFor = groupsForCalls(projects, facts)
  const isUnknown = unknownIn(facts, kind.rare)
  const heads = (): ChainView | undefined => chain?.view
  const ranges = kind.ranges && createRanges({ kind: kind.ranges, view: heads, known: knowledge.ranges, clock })
  const endpoints = ranges?.watch(options.endpoints) ?? options.endpoints

  const onAnswer: VerificationOptions['onAnswer'] = (endpoint, method, outcome, why) => {
    metrics.verified(endpoint, method, outcome)
    if (why === undefined) return
    const fields = { network, endpoint, method, field: shortened(why.field), reason: shortened(why.message) }
    log.repeats.warn(['unverified', network, endpoint, method], fields, 'an answer does not verify')
  }
  const nodes = nodesOf(options.config.upstreams)
  const verified = options.verifyEndpoints?.(endpoints, {
    clock,
    chainId: Number(options.config.chainId),
    maxBytes,
    latestOf: (name) => chain?.latestOf(name),
    nodeOf: (name) => nodes[endpoints.findIndex((endpoint) => endpoint.name === name)]!,
    onAnswer,
    onInvalid(name, method) {
      const [{ health }, now] = [named(name), clock.now()]
      health.failed(health.begin(classOf(method), now), 'false_answer', now)
    },
    offload: options.offload,
  })
  const newer = 'an upstream speaks a version newer than all known ones'
  const onNewer = ({ name }: Endpoint, version: string): void => log.warn({ network, endpoint: name, version }, newer)
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
    ? createChain({ ...options, ...knowledge, endpoints, own, onAsk: own.onAsk, isOnDemand, mayExamine, mayAsk })
    : undefined
  const view: ChainView = chain?.view ?? own.openView({ endpoints, reader, clock, isOnDemand, onAsk: own.onAsk })
  const checked = chain ?? (options.checksChain ? { view, ...checkedChain(view) } : undefined)
  const selection = createSelection({
    candidates,
    random,
    ...(policy && { order: policy, onPolicyFault: policyFaults(network, log) }),
    prefers: untriedFirst(chain?.prefers ?? translated?.prefers),
    ...(checked && { exclusionOf: checked.exclusionOf }),
    ...(chain && { lagOf: chain.lagOf }),
    excludes(candidate, call) {
      const { name } = candidate.endpoint
      if ((hintsOf(call.request).pinnedUpstream ?? name) !== name) return 'not_chosen'
      if (isChainUnreported(candidate, call, view, selection)) return 'chain_untold'
      const reason = subscriptions?.excludes(candidate, call) ?? chain?.excludes(candidate, call)
      return reason ?? ranges?.excludes(candidate.endpoint, call.request)
    },
    onExclusion: exclusionChanges(network, log, options.onFalse, options.onOut),
  })
  const states = createUpstreamStates({
    view,
    historyOf: chain?.capabilities?.oldestOf,
    followsHeads: options.followsHeads,
    selection,
    budgetOf: budgetsOf(config),
    clock,
  })
  const [classOf, verdictOf] = [methodClassOf(facts), verdictsOf(kind)]
  const [reportFailure, retries] = [failedAttempts(network, log), createRetries({ random })]
  const isWeak = translated?.isLastResort ?? verified?.isLastResort
  const forgetStale = options.endpoints.map((it) => it.watchStale((why) => checked?.view.failed(it, why)))
  const asking = createPool({
    selection,
    slots,
    clock,
    hedging: createHedging(),
    retries,
    ...(verified && { isVerified: verified.isVerified }),
    ...(translated && { isRefusal: translated.isRefusal }),
    isLastResort: (response, spare, request, endpoint, context) =>
      isWeak?.(response, spare, request, endpoint, context) === true ||
      chain?.isInvalid(endpoint, request, response, hintsOf(request).compared === undefined ? context : undefined) ===
        true ||
      lacksValue(kind, request, response),
    insteadOf: valueOrError(kind),
    ...(checked && { ready: checked.ready }),
    onAnswer(endpoint, request, response, ms, context) {
      marks.answered(endpoint, context, ms)
      metrics.upstreamAnswered(endpoint.name, ms)
      if (hintsOf(request).compared === undefined) chain?.answered(endpoint, request, response, context.tenant)
    },
    onAttempt(endpoint, request, context, isHedge, now) {
      marks.asked(endpoint, context, isHedge, now)
      const units = named(endpoint.name).spend?.priceOf(request.method) ?? 0
      metrics.asked(endpoint.name, attemptPurpose(facts, request, context.tenant, isHedge), units)
    },
    verdictOf,
    isFalse: isInvalid,
    isImpossible: (request, response) => kind.headOf(request, response)! > Number.MAX_SAFE_INTEGER,
    classOf: ({ method }) => classOf(method),
    groupsOf: ({ tenant }, { method }) => groupsFor(tenant, method),
    isRepeatable: ({ method }) => isRead(facts, method),
    isKnown: (method) => !isUnknown(method),
    affinityOf: (request) => hintsOf(request).sender,
    opensSubscription: ({ method }) => opensSubscription(facts, method),
    ...(kind.signing && { writeOf: kind.signing.writes(options.broadcast ?? 1) }),
    onFailure(endpoint, failure, why, request, context, ms) {
      marks.failed(endpoint, failure, why, context, ms)
      chain?.capabilities?.failed(endpoint, request, failure)
      metrics.upstreamFailed(endpoint.name, failure)
      if (why instanceof Error) checked?.view.failed(endpoint, why)
      reportFailure(endpoint.name, failure, why)
    },
  })
  const pinned = chain && pinnedHead(chain, asking, reader, clock)
  const compare: RpcMiddleware<RpcContext> | undefined =
    consensus === undefined || pinned === undefined || kind.comparison === undefined
      ? undefined
      : networkConsensus({
          ...options,
          groupsFor,
          config: consensus,
          comparison: kind.comparison,
          selection,
          view,
          headToPin: pinned,
          classOf,
          verdictOf,
          isInvalid: chain!.isInvalid,
          isProven: (response) => verified?.isProven(response) === true,
          answered(request, response, { tenant }) {
            const given = endpoints.find(({ name }) => name === response.meta?.endpoint)
            if (given !== undefined) chain!.answered(given, request, response, tenant)
          },
        })
  const callOf = (request: RpcRequest, { tenant }: CallTenant): SelectionCall => {
    const groups = groupsFor(tenant, request.method)
    const about = { affinity: hintsOf(request).sender, isUnknown: isUnknown(request.method), project: tenant }
    return { request, class: classOf(request.method), now: clock.now(), groups, opensSubscription: false, ...about }
  }
  const reasons: Reasons = (request, context) => states.candidates(callOf(request, context)).map(({ reason }) => reason)
  const subscriptions = chain && watchSubscriptions({ selection, view, groupsOf: projects.reads, clock })
  let handler: RpcHandler = asking
  return {
    stages: {
      oneView:
        chain &&
        ((next) => {
          const consistent = oneView(next, chain, reasons, clock)
          return (request, context) => {
            view.wanted()
            chain.capabilities?.wanted()
            return consistent(request, context)
          }
        }),
      keepSenders: chain?.recover && kind.senders && keepSenders(kind.senders, chain.recover),
      watchSubscriptions: subscriptions?.stage,
      refuseRanges: ranges && ((next) => ranges.refuse(next, { selection, callOf })),
      compare,
    },
    asking,
    begin: (composed) => void (handler = composed),
    followed: followedChain(
      chain,
      chain && pinnedHead(chain, (request, context) => handler(request, context), reader, clock),
      candidates,
    ),
    selection,
    states,
    candidates: (request, context) => states.candidates(callOf(request, context)),
    mayTryParts: () => retries.again(0) !== undefined,
    mostBlocks: (request, context) => ranges?.mostBlocks(request, callOf(request, context), selection),
    scheduleProbe: own.prober.schedule,
    isIdle: () => candidates.every(({ slots: { free, capacity } }) => free === capacity),
    chain,
    async close() {
      for (const forget of forgetStale) forget()
      own.prober.close()
      chain?.close()
      subscriptions?.close()
      await view.close()
    },
  }
}
