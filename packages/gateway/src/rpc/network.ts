import { createRpcServer, type RpcError, type RpcHandler, type RpcRequest } from '@wayleave/jsonrpc-core'
import { createCallSlots, type Turns } from '@wayleave/upstream'
import { createUndiciPort } from '@wayleave/upstream/node'
import {
  apiVersionOf,
  evmSettings,
  jsonrpcSettings,
  networkDefaults,
  type PinnedNetwork,
} from '@wayleave/network/config'
import {
  blockChecks,
  createEndpoint,
  createNetworkPool,
  endpointIdentity,
  type EndpointOptions,
  type FollowedChain,
  isRead,
  keepUpstreams,
  longLogs,
  methodClassOf,
  type NetworkKind,
  openNetworkCache,
  opensSubscription,
  type PendingSource,
  shareOwnQuestions,
} from '@wayleave/network'
import { errorClass, shortened } from '@wayleave/telemetry'
import { flightAccount } from '@wayleave/http-server'
import { describe, tracedError } from '../errors.ts'
import { createProbe } from '../health/probe.ts'
import { beginInTurns } from './begin-in-turns.ts'
import { createBusy } from './busy.ts'
import type { GatewayContext } from '../context/context.ts'
import { countCalls } from './count-calls.ts'
import { meteredMethods } from './metered-methods.ts'
import { marksOf } from './marks.ts'
import type { Network } from '../served-network.ts'
import { attachStages } from './attach-stages.ts'
import { createPipeline } from './pipeline.ts'
import { traceCalls } from './stages/trace-calls.ts'
import { traceOf } from '../trace/call-trace.ts'
import { attemptMarks } from '../trace/mark-attempts.ts'
import { createEventBlocks } from '../events/rest-of-block.ts'
import { watchBatches } from './stages/watch-batches.ts'
import { watchCalls } from './stages/watch-calls.ts'
import type { NetworkOptions } from './network-options.ts'

/** Connections that a call may use at once: an answer that is proven needs several. */
const connectionsPerCall = 4
/** Longest answer of a rollup node, in bytes. */
const longestRollupAnswer = 1024 * 1024

/** A network that was opened, alone or to take the place of another one. */
export interface OpenedNetwork extends Network {
  readonly kind: NetworkKind
  readonly config: PinnedNetwork
  /** Answers single calls of callers. */
  readonly calls: RpcHandler<GatewayContext>
  /** Answers the gateway's own questions. */
  readonly nodes: RpcHandler
  /** The view of its chain, where heads are followed. */
  readonly heads: FollowedChain['view'] | undefined
  /** Tells its pending transactions; undefined where no upstream can push them. */
  readonly pending: PendingSource | undefined
  /** Whether a call is under way. */
  readonly isBusy: boolean
  /** Has what callers hold go on here. */
  activate(): void
  /** Gives up what was made to be activated. */
  discard(): void
  /** Gives up the answers that it keeps and that are not final: another network has its place. Calls that are under way go on. */
  deactivate(): void
  close(): Promise<void>
}

/** Creates a configured network; nothing is opened before its first call. */
export function openNetwork(options: NetworkOptions): OpenedNetwork {
  const { name, config, kind, limits, callerLimits, life, projects, clock, log } = options
  const metrics = options.metrics.network(name)
  const evm = evmSettings(config)
  const jsonrpc = jsonrpcSettings(config)
  const { facts, chainIdMethod } = kind
  const { maxUpstreamBytes: maxResponseBytes, maxUpstreamCalls } = limits
  const slots = createCallSlots({
    clock,
    perEndpoint: maxUpstreamCalls,
    maxWaiting: callerLimits.maxCalls,
    get maxWaitMs() {
      return callerLimits.maxQueueMs
    },
    onRefused: (lane = '') => options.metrics.budgetRefused('maxUpstreamCalls', lane),
    onWaited(ms, context) {
      metrics.queued(ms)
      traceOf(context)?.mark('queued', ms, '')
    },
  })
  const { tracing } = options
  // An endpoint may outlast its network, which it must not keep in memory.
  const settings: EndpointOptions = {
    openPort: options.openPort ?? portsFor(limits, options.readingTurns),
    connect: options.connect,
    random: options.random,
    accountOf: (context) => flightAccount(context, options.budget),
    facts,
    mayRepeat: repeatable(kind, config.upstreams.length === 1),
    chainIdMethod,
    maxResponseBytes,
    verify: evm?.verify,
    traceparentOf: tracing?.tracer.traceparentOf,
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
  const reader = kind.heads(kind.expectedChain(config.chainId), jsonrpc?.chain)
  const pool = createNetworkPool({
    network: name,
    kind,
    config,
    projects,
    broadcast: evm?.broadcast ?? networkDefaults.broadcast,
    endpoints,
    reader,
    followsHeads: kind.tellsChain && (config.followHeads ?? networkDefaults.followHeads),
    checksChain: jsonrpc?.chain !== undefined,
    views: options.views,
    told: life.told,
    spends: life.spends,
    knowledge: kept.knowledge,
    onFalse: (endpoint, isFalse) => life.sources[isFalse ? 'distrust' : 'trust'](endpoint),
    onOut: (out) => endpoints.find((endpoint) => endpoint.name === out)?.renew(),
    ledgerOf: (upstream) => options.shared?.spend(`${name}:${upstream}`),
    random: options.random,
    verifyEndpoints: evm === undefined ? undefined : options.verification?.verifyEndpoints,
    offload: options.verification?.checks?.offload,
    slots,
    maxBytes: maxResponseBytes,
    clock,
    log,
    metrics,
    marks: attemptMarks,
  })
  const canPush = endpoints.some(({ carriesSubscriptions }) => carriesSubscriptions)
  const checkLogs = blockChecks(options.verification, { endpoints, chainId: Number(config.chainId) })
  const busy = createBusy(options.calls)
  const attached = attachStages({
    ...options,
    followed: pool.followed,
    verify: endpoints,
    checkLogs,
    canPush,
    counts: metrics,
  })
  const place = {
    network: name,
    kind: config.kind,
    methods: meteredMethods(facts, [...options.pricedMethods, ...(jsonrpc?.methods.allow ?? [])]),
  }
  const cache = openNetworkCache(options.cache, { ...options, reader, pool, endpoints })
  const { methods } = place
  const onCall = countCalls({ network: name, metrics, classOf: methodClassOf(facts), access: options.access })
  const { calls, nodes, upstreams } = createPipeline({
    kind,
    apiVersion: apiVersionOf(config),
    trace:
      tracing &&
      traceCalls({
        ...tracing,
        network: name,
        methods,
        candidates: pool.candidates,
        verified: options.verification?.extension,
        clock,
      }),
    watchCalls: watchCalls({ actionOf: kind.actionOf, clock, onCall }),
    watchBatches: watchBatches(rejected, busy),
    pool,
    comparedMethods: evm?.consensus?.methods,
    shareOwnQuestions: shareOwnQuestions(name, options.views, projects, facts),
    cache,
    headToPin: pool.followed?.headToPin,
    groupsOf: projects.reads,
    filters: attached.filters?.stage,
    streams: attached.streams?.stage,
    canPush,
    randomBytes: options.randomBytes,
    rollupNode: options.rollupNodes[name] ?? rollupNode?.handler,
    rollupMode: evm?.rollupMode,
    header: () => pool.chain?.view.header,
    denyMethods: options.denyMethods,
    allowMethods: jsonrpc?.methods.allow,
    noteDenial: options.noteDenial,
    prices: options.metering.prices,
    get maxSubscriptions() {
      return callerLimits.maxSubscriptions
    },
    metrics,
    calls: busy.calls,
    onRefusedCall: (project) => options.metrics.budgetRefused('maxCalls', project),
    get maxBatchInFlight() {
      return callerLimits.maxBatchInFlight
    },
    turns: options.turns,
    maxSharedBytes: maxResponseBytes,
    logs: kind.logs?.(
      longLogs({ ...options, endpoints, pool, cache, accountOf: ({ lane }) => options.budget.account(lane) }),
    ),
    clock,
  })
  pool.begin(upstreams)
  const serve = createRpcServer<GatewayContext>(calls, {
    describe,
    completeError: (error, { caller: { traceId } }, method, nth) =>
      tracedError(error, nth === undefined ? traceId : `${traceId}.${nth}`, method),
    get maxBodyBytes() {
      return callerLimits.maxBodyBytes
    },
    get maxBatch() {
      return callerLimits.maxBatch
    },
    extraMembers(meta, { caller }) {
      const marks = caller.inlineMarks === true ? marksOf(meta) : undefined
      return marks && { wayleave: marks }
    },
    onInternalError(err, { caller }) {
      const fields = { traceId: caller.traceId, network: name, err }
      log.repeats.error(['internal', name, errorClass(err)], fields, 'a call failed inside the gateway')
    },
  })

  function rejected(traceId: string, why: RpcError): void {
    metrics.rejected(why.code)
    // A caller who left, was denied or holds too much is nobody's failure.
    if (why.code === 'aborted' || why.code === 'denied' || why.rpc?.code === -32005) return
    log.repeats.warn(['rejected', name, why.code], { traceId, network: name, code: why.code }, shortened(why.message))
  }

  return {
    name,
    kind,
    config,
    server: beginInTurns(serve, options.turns, busy),
    calls,
    nodes,
    events: pool.chain && createEventBlocks(nodes, checkLogs(nodes), clock),
    metrics,
    place,
    probe: createProbe(pool.states),
    heads: pool.chain?.view,
    get pending() {
      return life.pending
    },
    showsUpstream: options.showsUpstream,
    upstreams: endpoints.map((endpoint) => endpoint.name),
    cordon: (upstream, why) => pool.selection.cordon(upstream, why),
    apiVersions: kind.apiVersions,
    rejected,
    get isBusy() {
      return busy.isBusy || !pool.isIdle()
    },
    activate() {
      attached.activate()
      life.upstreams = kept
      kept.probedBy(pool.scheduleProbe, clock.now())
      metrics.watchUpstreams(pool.states.gauges)
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

function portsFor({ maxUpstreamCalls }: NetworkOptions['limits'], turns: Turns): EndpointOptions['openPort'] {
  return (way) => createUndiciPort({ ...way, connections: connectionsPerCall * maxUpstreamCalls, turns })
}
