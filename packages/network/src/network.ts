import type { RpcHandler, RpcRequest } from '@wayleave/jsonrpc-core'
import { createCallSlots, type Turns } from '@wayleave/upstream'
import { createUndiciPort } from '@wayleave/upstream/node'
import { openNetworkCache } from './cache/open-cache.ts'
import { nodesOf } from './config/same-nodes.ts'
import { chainCheckOf, evmSettings, networkDefaults, type PinnedNetwork } from './config/network-config.ts'
import { createEndpoint, endpointIdentity, type EndpointOptions } from './endpoints/endpoints.ts'
import type { FollowedChain } from './heads/followed-chain.ts'
import { isRead, opensSubscription } from './kinds/method-facts.ts'
import type { NetworkKind } from './kinds/network-kind.ts'
import { attachStages } from './life/attach-stages.ts'
import type { NetworkLife } from './life/network-life.ts'
import { blockChecks, type OpenVerification } from './life/open-verification.ts'
import { longLogs } from './long-logs.ts'
import { markVerified } from './verification/verified-mark.ts'
import type { NetworkHost, UpstreamLimits } from './network-host.ts'
import { createPipeline } from './pipeline.ts'
import { createNetworkPool, type NetworkPool } from './pool/network-pool.ts'
import type { AttemptMarks } from './upstreams/attempt-marks.ts'
import { keepUpstreams } from './upstreams/kept-upstreams.ts'
import type { ProjectUpstreams } from './upstreams/project-upstreams.ts'
import { type PendingSource, shareOwnQuestions } from './upstreams/view-opener.ts'

/** Connections that a call may use at once: an answer that is proven needs several. */
const connectionsPerCall = 4
/** Longest answer of a rollup node, in bytes. */
const longestRollupAnswer = 1024 * 1024

export interface NetworkOptions extends NetworkHost {
  readonly name: string
  readonly config: PinnedNetwork
  readonly kind: NetworkKind
  /** The parts that stay while the network is replaced. */
  readonly life: NetworkLife
  /** Undefined: the network is not verified. */
  readonly verification: OpenVerification | undefined
  readonly projects: ProjectUpstreams
  /** A rollup node in this process; it goes before a configured URL. */
  readonly rollupNode?: RpcHandler | undefined
}

/** One chain over several nodes, as one handler. */
export interface Network extends Pick<NetworkPool, 'candidates' | 'states' | 'isIdle'> {
  readonly name: string
  readonly kind: NetworkKind
  readonly config: PinnedNetwork
  /** Answers calls. */
  readonly handler: RpcHandler
  /** Answers questions of the host itself, which need no subscriptions, filters or rules of the specification. */
  readonly nodes: RpcHandler
  /** The names of the stages that a call passes here, outermost first. */
  readonly stages: readonly string[]
  /** The view of its chain, where heads are followed. */
  readonly heads: FollowedChain['view'] | undefined
  /** Finds the head at which a call may be answered, where heads are followed. */
  readonly headToPin: FollowedChain['headToPin'] | undefined
  /** Makes the options under which blocks are read by a handler, as its subscriptions read them. */
  readonly checkLogs: ReturnType<typeof blockChecks>
  /** Tells its pending transactions; undefined where no upstream can push them. */
  readonly pending: PendingSource | undefined
  /** The names of the upstreams, in the order of the configuration. */
  readonly upstreams: readonly string[]
  /** Leaves an upstream alone from now on, or no longer where `why` is undefined; false where there is none of the name. */
  cordon(upstream: string, why: string | undefined): boolean
  /** Has the filters and subscriptions that callers hold go on here. */
  activate(): void
  /** Gives up what was made to be activated. */
  discard(): void
  /** Gives up the answers that it keeps and that are not final: another network has its place. Calls that are under way go on. */
  deactivate(): void
  close(): Promise<void>
}

/** Creates a network; nothing is opened before its first call. */
export function createNetwork(options: NetworkOptions): Network {
  const { name, config, kind, limits, callerLimits, life, projects, counts, marks, clock, log } = options
  const evm = evmSettings(config)
  const chainCheck = chainCheckOf(config)
  const { facts, chainIdMethod } = kind
  const { maxUpstreamBytes: maxResponseBytes, maxUpstreamCalls } = limits
  const slots = createCallSlots({
    clock,
    perEndpoint: maxUpstreamCalls,
    maxWaiting: callerLimits.maxCalls,
    get maxWaitMs() {
      return callerLimits.maxQueueMs
    },
    onRefused: (tenant = '') => options.onRefused('maxUpstreamCalls', tenant),
    onWaited(ms, context) {
      counts.queued(ms)
      marks?.queued(context, ms)
    },
  })
  // An endpoint may outlast its network, which it must not keep in memory.
  const settings: EndpointOptions = {
    openPort: options.openPort ?? portsFor(limits, options.readingTurns),
    connect: options.connect,
    random: options.random,
    accountOf: options.accounts.ofAnswer,
    facts,
    mayRepeat: repeatable(kind, config.upstreams.length === 1),
    chainIdMethod,
    maxResponseBytes,
    verify: evm?.verify,
    traceparentOf: options.traceparentOf,
    clock,
    nextTurn: options.nextTurn,
    idleMs: options.idleMs,
    readingTurns: options.readingTurns,
  }
  const kept = keepUpstreams({
    before: life.upstreams,
    wanted: config.upstreams.map((upstream, i) => ({
      identity: endpointIdentity(upstream, i, settings, limits),
      open: () => createEndpoint(upstream, i, settings),
    })),
    opensSubscription: ({ method }) => opensSubscription(facts, method),
  })
  const { endpoints } = kept
  const rollupNode =
    evm?.rollupNode === undefined
      ? undefined
      : createEndpoint(evm.rollupNode, 0, { ...settings, facts: {}, maxResponseBytes: longestRollupAnswer })
  const reader = kind.heads(kind.expectedChain(config.chainId), chainCheck)
  const pool = createNetworkPool({
    network: name,
    kind,
    config,
    projects,
    broadcast: evm?.broadcast ?? networkDefaults.broadcast,
    endpoints,
    reader,
    followsHeads: kind.reportsChain && (config.followHeads ?? networkDefaults.followHeads),
    checksChain: chainCheck !== undefined,
    views: options.views,
    reported: life.reported,
    spends: life.spends,
    knowledge: kept.knowledge,
    onFalse: (endpoint, isFalse) => life.sources[isFalse ? 'distrust' : 'trust'](endpoint),
    onOut: (out) => endpoints.find((endpoint) => endpoint.name === out)?.renew(),
    ledgerOf: options.ledgerOf ?? ((): undefined => {}),
    random: options.random,
    verifyEndpoints: evm === undefined ? undefined : options.verification?.verifyEndpoints,
    offload: options.verification?.checks?.offload,
    slots,
    maxBytes: maxResponseBytes,
    clock,
    log,
    metrics: counts,
    marks: marks ?? unmarked,
  })
  const canPush = endpoints.some(({ carriesSubscriptions }) => carriesSubscriptions)
  const checkLogs = blockChecks(options.verification, { endpoints, chainId: Number(config.chainId) })
  const attached = attachStages({
    ...options,
    followed: pool.followed,
    verify: endpoints,
    checkLogs,
    canPush,
    onRefusedFilter: (project) => options.onRefused('maxFilters', project),
  })
  const verified = endpoints.some(({ verify }) => verify !== 'off') ? options.verification?.extension : undefined
  const marksVerified = verified !== undefined || evm?.consensus !== undefined
  const cache = openNetworkCache(options.cache, { ...options, metrics: options.cacheCounts, reader, pool, endpoints })
  const { calls, nodes, upstreams, stages } = createPipeline({
    kind,
    pool,
    comparedMethods: evm?.consensus?.methods,
    shareOwnQuestions: shareOwnQuestions(name, options.views, projects, facts),
    cache,
    groupsOf: projects.reads,
    filters: attached.filters?.stage,
    streams: attached.streams?.stage,
    logs: kind.logs?.(longLogs({ ...options, endpoints, pool, cache, accountOf: options.accounts.ofCaller })),
    marks,
    markVerified: marksVerified
      ? markVerified({ verified, nodes: new Set(nodesOf(config.upstreams)).size })
      : undefined,
    withoutSession: options.withoutSession,
    canPush,
    randomBytes: options.randomBytes,
    rollupNode: options.rollupNode ?? rollupNode?.handler,
    rollupMode: evm?.rollupMode,
    header: () => pool.chain?.view.header,
    maxSharedBytes: maxResponseBytes,
    clock,
  })
  pool.begin(upstreams)

  return {
    name,
    kind,
    config,
    handler: calls,
    nodes,
    stages,
    heads: pool.chain?.view,
    headToPin: pool.followed?.headToPin,
    checkLogs,
    get pending() {
      return life.pending
    },
    upstreams: endpoints.map((endpoint) => endpoint.name),
    states: pool.states,
    candidates: pool.candidates,
    isIdle: pool.isIdle,
    cordon: (upstream, why) => pool.selection.cordon(upstream, why),
    activate() {
      attached.activate()
      life.upstreams = kept
      kept.probedBy(pool.scheduleProbe, clock.now())
    },
    discard: attached.discard,
    deactivate: () => cache?.close(),
    async close() {
      cache?.close()
      await pool.close()
      await Promise.all([kept.close(), rollupNode?.close()])
    },
  }
}

/** Makes the function that tells calls which are sent to their upstream once more: reads, and transactions that no other upstream could be sent. */
const repeatable =
  ({ facts, signing }: NetworkKind, isAlone: boolean) =>
  (request: RpcRequest): boolean =>
    isRead(facts, request.method) || (isAlone && signing?.isIdempotent(request) === true)

function portsFor({ maxUpstreamCalls }: UpstreamLimits, turns: Turns): EndpointOptions['openPort'] {
  return (way) => createUndiciPort({ ...way, connections: connectionsPerCall * maxUpstreamCalls, turns })
}

const unmarked: AttemptMarks = { asked() {}, answered() {}, failed() {} }
