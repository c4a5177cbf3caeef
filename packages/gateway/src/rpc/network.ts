import { createRpcServer, RpcError, type Clock, type RpcHandler, type RpcServer } from '@wayleave/jsonrpc-core'
import { type ChainView, createCallSlots, createFairShare, type FairShare, type SpendLedger } from '@wayleave/upstream'
import { createReadingTurns, createUndiciPort, type ReadingTurns } from '@wayleave/upstream/node'
import type { ByteBudget } from '../budget/byte-budget.ts'
import { holdResults } from '../budget/hold-results.ts'
import type { Turns } from '../budget/turns.ts'
import { apiVersionOf, type Config, evmSettings, type NetworkConfig } from '../config/config.ts'
import type { NoteDenial } from '../denial.ts'
import type { Limits } from '../config/limits.ts'
import { describe, tracedError } from '../errors.ts'
import type { MeteredPlace, Metering } from '../metering/metering.ts'
import { loadNetworkKinds } from '../networks/index.ts'
import type { ApiVersions, NetworkKind } from '../networks/network-kind.ts'
import { errorClass, type Log, told } from '../ops/log.ts'
import { createProbe, type Probe } from '../ops/probe.ts'
import type { Metrics, NetworkMetrics } from '../ops/metrics.ts'
import { beginInTurns } from './begin-in-turns.ts'
import type { StartCheckThread } from './check-thread.ts'
import type { GatewayContext } from './context.ts'
import { createEndpoint, type EndpointOptions } from './endpoints.ts'
import { meteredMethods } from './metered-methods.ts'
import { marksOf, type ShownUpstreams } from './marks.ts'
import { createNetworkPool } from './network-pool.ts'
import { blockChecks, openVerification, type OpenVerification } from './open-verification.ts'
import { createFilterStage } from './filters/filter-stage.ts'
import { type FilterStores, openFilterStores, type OpenFilters } from './filters/filter-stores.ts'
import { createPipeline } from './pipeline.ts'
import { projectUpstreams, type ProjectUpstreams, showsUpstream } from './project-upstreams.ts'
import { createEventBlocks, type EventBlocks } from './sse/rest-of-block.ts'
import { hasCompleteBlooms } from './streams/complete-blooms.ts'
import { longLogs } from './streams/get-logs.ts'
import type { ViewStore } from './view-store.ts'

/** A network that is being served, as the listeners see it. */
export interface Network extends ShownUpstreams {
  readonly name: string
  readonly server: RpcServer<GatewayContext>
  /** The blocks that streams of events go on from. Default: heads are not followed, so none can. */
  readonly events?: EventBlocks | undefined
  readonly metrics: NetworkMetrics
  /** Its name and its methods in prices and usage. */
  readonly place: MeteredPlace
  /** Looks whether the network can serve now. */
  readonly probe: Probe
  /** Leaves an upstream alone from now on, or no longer where `why` is undefined; false where there is none of the name. */
  cordon(upstream: string, why: string | undefined): boolean
  /** Present where callers may choose among versions of the interface. */
  readonly apiVersions: Pick<ApiVersions, 'segments' | 'ofSegment'> | undefined
  /** Counts and logs a call that no upstream answered, under the trace id that its caller was given. */
  rejected(traceId: string, why: RpcError): void
}

/** A network with its connections. */
export interface OpenNetwork extends Network {
  readonly kind: NetworkKind
  readonly config: NetworkConfig
  /** Answers the gateway's own questions. */
  readonly nodes: RpcHandler
  /** The view of its chain, where heads are followed. */
  readonly heads: ChainView | undefined
  close(): Promise<void>
}

/** The state of networks that replicas share. */
export interface SharedNetworks {
  view(network: string): ViewStore
  /** The units of a provider's plan that all have spent. */
  spend(plan: string): SpendLedger
}

/** The parts of the gateway that its networks share. Connections are real by default. */
export interface NetworksOptions extends Partial<Pick<EndpointOptions, 'openPort' | 'connect'>> {
  readonly limits: Limits
  readonly budget: ByteBudget
  readonly turns: Turns
  /** Rollup nodes in this process, by network; they go before a configured URL. */
  readonly rollupNodes: Readonly<Record<string, RpcHandler>>
  /** Starts a thread for the verification of long answers. Default: they are verified on this one. */
  readonly startThread?: StartCheckThread | undefined
  readonly metrics: Metrics
  /** The state of each network that replicas share, by its name. Default: this process is alone. */
  readonly shared?: SharedNetworks | undefined
  /** The store of the filters. Default: they end with this process. */
  readonly filterStores?: FilterStores | undefined
  readonly clock: Clock
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn: (run: () => void) => void
  /** A number from 0 up to 1. */
  readonly random: () => number
  /** Makes an id that nobody can guess. */
  readonly newFilterId: () => string
  /** Returns bytes that nobody can guess, for the ids of subscriptions. Default: the platform's. */
  readonly randomBytes?: ((count: number) => Uint8Array) | undefined
  readonly noteDenial: NoteDenial
  readonly metering: Pick<Metering, 'prices'>
  readonly log: Log
}

/** Creates all configured networks. Code that only some of them need loads only for those. */
export async function openNetworks(config: Config, options: NetworksOptions): Promise<readonly OpenNetwork[]> {
  const networks = Object.entries(config.networks)
  const kindOf = await loadNetworkKinds(Object.values(config.networks))
  const verification = await openVerification(config, options)
  const calls = createFairShare(options.limits.maxCalls)
  const filters = createFairShare(options.limits.maxFilters)
  const readingTurns = createReadingTurns(options.nextTurn)
  const shows = showsUpstream(config)
  const stores = options.filterStores ?? openFilterStores(options)
  const openFilters = await Promise.all(networks.map(([name]) => stores.open(name)))
  return networks.map(([name, network], i) =>
    openNetwork({
      ...options,
      calls,
      filters,
      openFilters: openFilters[i]!,
      readingTurns,
      projects: projectUpstreams(config, network),
      showsUpstream: shows,
      name,
      config: network,
      kind: kindOf(network.kind),
      denyMethods: config.methods?.deny ?? defaultDeny,
      pricedMethods: Object.keys({ ...config.prices?.evm, ...config.prices?.[network.kind] }),
      verification,
    }),
  )
}

/** Methods that reach into a node; served only where an operator says so. */
const defaultDeny: readonly string[] = ['admin_*', 'personal_*', 'debug_setHead', 'engine_*']
/** Connections that a call may use at once: an answer that is proven needs several. */
const connectionsPerCall = 4
/** Longest answer of a rollup node, in bytes. */
const longestRollupAnswer = 1024 * 1024

interface NetworkOptions extends NetworksOptions {
  readonly name: string
  readonly config: NetworkConfig
  readonly kind: NetworkKind
  readonly denyMethods: readonly string[]
  /** Methods that have a price of the configuration, and prefixes. */
  readonly pricedMethods: readonly string[]
  /** The calls in flight of the whole process, by project. */
  readonly calls: FairShare
  /** The filters of the whole process, by project. */
  readonly filters: FairShare
  readonly openFilters: OpenFilters
  readonly readingTurns: ReadingTurns
  /** Undefined: no network is verified. */
  readonly verification: OpenVerification | undefined
  readonly projects: ProjectUpstreams
  readonly showsUpstream: ShownUpstreams['showsUpstream']
}

/** Creates a configured network; nothing is opened before its first call. */
function openNetwork(options: NetworkOptions): OpenNetwork {
  const { name, config, kind, limits, clock, log } = options
  const metrics = options.metrics.network(name)
  const evm = evmSettings(config)
  const { facts, chainIdMethod } = kind
  const { maxUpstreamBytes: maxResponseBytes, maxUpstreamCalls } = limits
  const openPort =
    options.openPort ??
    (() => createUndiciPort({ connections: connectionsPerCall * maxUpstreamCalls, turns: options.readingTurns }))
  const slots = createCallSlots({
    clock,
    perEndpoint: maxUpstreamCalls,
    maxWaiting: limits.maxCalls,
    maxWaitMs: limits.maxQueueMs,
    onRefused: (lane = '') => options.metrics.budgetRefused('maxUpstreamCalls', lane),
    onWaited: metrics.queued,
  })
  const settings = { ...options, openPort, facts, chainIdMethod, maxResponseBytes, verify: evm?.verify }
  const endpoints = config.upstreams.map((upstream, i) => createEndpoint(upstream, i, settings))
  const rollupNode =
    evm?.rollupNode === undefined
      ? undefined
      : createEndpoint(evm.rollupNode, 0, { ...settings, facts: {}, maxResponseBytes: longestRollupAnswer })
  const pool = createNetworkPool({
    network: name,
    kind,
    config,
    projects: options.projects,
    broadcast: evm?.broadcast,
    endpoints,
    reader: kind.heads(kind.expectedChain(config.chainId)),
    followsHeads: config.followHeads ?? true,
    view: options.shared?.view(name),
    ledgerOf: (upstream) => options.shared?.spend(`${name}:${upstream}`),
    random: options.random,
    verifyEndpoints: evm === undefined ? undefined : options.verification?.verifyEndpoints,
    offload: options.verification?.checks?.offload,
    slots,
    maxBytes: maxResponseBytes,
    clock,
    log,
    metrics,
  })
  const canPush = endpoints.some(({ carriesSubscriptions }) => carriesSubscriptions)
  const filters =
    kind.filters &&
    createFilterStage({
      ...options.openFilters,
      serve: kind.filters,
      rules: { addressesOf: kind.addressesOf, noteDenial: options.noteDenial },
      shares: options.filters,
      onRefused: (project) => options.metrics.budgetRefused('maxFilters', project),
      newId: options.newFilterId,
      headToPin: pool.followed?.headToPin,
      groupsOf: options.projects.reads,
      hasCompleteBlooms: hasCompleteBlooms(Number(config.chainId)),
      canPush,
      clock,
    })
  const checkLogs = blockChecks(options.verification, { endpoints, chainId: Number(config.chainId) })
  const { calls, nodes, close } = createPipeline({
    kind,
    apiVersion: apiVersionOf(config),
    pool: pool.handler,
    headToPin: pool.followed?.headToPin,
    followed: pool.followed,
    checkLogs,
    groupsOf: options.projects.reads,
    filters: filters?.stage,
    canPush,
    randomBytes: options.randomBytes,
    rollupNode: options.rollupNodes[name] ?? rollupNode?.handler,
    rollupMode: evm?.rollupMode,
    header: () => pool.heads?.header,
    denyMethods: options.denyMethods,
    noteDenial: options.noteDenial,
    prices: options.metering.prices,
    maxSubscriptions: limits.maxSubscriptions,
    calls: options.calls,
    onRefusedCall: (project) => options.metrics.budgetRefused('maxCalls', project),
    maxBatchInFlight: limits.maxBatchInFlight,
    turns: options.turns,
    maxSharedBytes: maxResponseBytes,
    logs: kind.logs?.(longLogs({ ...options, endpoints, heads: pool.heads, mostBlocks: pool.mostBlocks })),
    clock,
  })

  function rejected(traceId: string, why: RpcError): void {
    metrics.rejected(why.code)
    // A caller who left, was denied or holds too much is nobody's failure.
    if (why.code === 'aborted' || why.code === 'denied' || why.rpc?.code === -32005) return
    log.repeats.warn(['rejected', name, why.code], { traceId, network: name, code: why.code }, told(why.message))
  }

  const serve = createRpcServer<GatewayContext>(watchBatches(holdResults(calls), rejected), {
    describe,
    completeError: (error, { caller }, method) => tracedError(error, caller.traceId, method),
    maxBodyBytes: limits.maxBodyBytes,
    maxBatch: limits.maxBatch,
    extraMembers(meta, { caller }) {
      const marks = caller.inlineMarks === true ? marksOf(meta) : undefined
      return marks && { wayleave: marks }
    },
    onInternalError(err, { caller }) {
      const fields = { traceId: caller.traceId, network: name, err }
      log.repeats.error(['internal', name, errorClass(err)], fields, 'a call failed inside the gateway')
    },
  })
  return {
    name,
    kind,
    config,
    server: beginInTurns(serve, options.turns),
    nodes,
    events: pool.heads && createEventBlocks(nodes, checkLogs(nodes), clock),
    metrics,
    place: { network: name, kind: config.kind, methods: meteredMethods(facts, options.pricedMethods) },
    probe: createProbe(pool.states),
    heads: pool.heads,
    showsUpstream: options.showsUpstream,
    upstreams: endpoints.map((endpoint) => endpoint.name),
    cordon: (upstream, why) => pool.selection.cordon(upstream, why),
    apiVersions: kind.apiVersions,
    rejected,
    async close() {
      filters?.close()
      close()
      await pool.close()
      await options.verification?.checks?.close()
      await Promise.all([...endpoints, ...(rollupNode === undefined ? [] : [rollupNode])].map((each) => each.close()))
    },
  }
}

/** Reports the calls of batches that no upstream answered; the listeners report single ones, with their replies. */
function watchBatches(handler: RpcHandler<GatewayContext>, rejected: Network['rejected']): RpcHandler<GatewayContext> {
  return (request, context) => {
    const answer = handler(request, context)
    if (context.batch === undefined) return answer
    return answer.catch((thrown: unknown) => {
      if (thrown instanceof RpcError) rejected(context.caller.traceId, thrown)
      throw thrown
    })
  }
}
