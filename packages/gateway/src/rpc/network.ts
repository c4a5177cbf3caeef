import { createRpcServer, type RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import { allowedMethodsOf, apiVersionOf, type PinnedNetwork } from '@wayleave/network/config'
import {
  createNetwork,
  type FollowedChain,
  methodClassOf,
  type NetworkOptions as ChainNetworkOptions,
  type NetworkKind,
  type PendingSource,
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
import { createPipeline } from './pipeline.ts'
import { createCallCheck } from './stages/authorize.ts'
import { traceCalls } from './stages/trace-calls.ts'
import { createCallMarks } from '../trace/call-marks.ts'
import { createEventBlocks } from '../events/rest-of-block.ts'
import { watchBatches } from './stages/watch-batches.ts'
import { watchCalls } from './stages/watch-calls.ts'
import type { NetworkOptions } from './network-options.ts'

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

/** Creates a configured network with the stages for its callers above; nothing is opened before its first call. */
export function openNetwork(options: NetworkOptions): OpenedNetwork {
  const { name, config, kind, callerLimits, clock, log, tracing } = options
  const metrics = options.metrics.network(name)
  const allowMethods = allowedMethodsOf(config)
  const { facts } = kind
  const network = createNetwork(partsOf(options))
  const { nodes, states } = network
  const busy = createBusy(options.calls)
  const methods = meteredMethods(facts, [...options.pricedMethods, ...(allowMethods ?? [])])
  const place = { network: name, kind: config.kind, methods }
  const onCall = countCalls({ network: name, metrics, classOf: methodClassOf(facts), access: options.access })
  const { calls } = createPipeline({
    network,
    apiVersion: apiVersionOf(config),
    trace:
      tracing &&
      traceCalls({
        ...tracing,
        network: name,
        methods,
        candidates: network.candidates,
        clock,
      }),
    watchCalls: watchCalls({ actionOf: kind.actionOf, clock, open: metrics.open, onCall }),
    watchBatches: watchBatches(rejected, busy),
    denyMethods: options.denyMethods,
    allowMethods,
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
    clock,
  })
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
    events: network.heads && createEventBlocks(nodes, network.checkLogs(nodes), clock),
    metrics,
    place,
    probe: createProbe(states),
    heads: network.heads,
    get pending() {
      return network.pending
    },
    showsUpstream: options.showsUpstream,
    upstreams: network.upstreams,
    cordon: network.cordon,
    apiVersions: kind.apiVersions,
    rejected,
    get isBusy() {
      return busy.isBusy || !network.isIdle()
    },
    activate() {
      network.activate()
      metrics.watchUpstreams(states.gauges)
    },
    discard: network.discard,
    deactivate: network.deactivate,
    close: network.close,
  }
}

/** Picks the parts of the gateway that a network takes, and words its callers' rules as its ports. */
function partsOf(options: NetworkOptions): ChainNetworkOptions {
  const { name, config, kind, life, verification, projects, limits, callerLimits, metrics, budget, shared } = options
  const { maxFiltersOf } = options.metering
  const check = createCallCheck({ addressesOf: kind.addressesOf, noteDenial: options.noteDenial })
  return {
    name,
    config,
    kind,
    life,
    verification,
    projects,
    rollupNode: options.rollupNodes[name],
    openPort: options.openPort,
    connect: options.connect,
    traceparentOf: options.tracing?.tracer.traceparentOf,
    limits,
    callerLimits,
    accounts: {
      ofAnswer: (context) => flightAccount(context, budget),
      ofCaller: ({ tenant }) => budget.account(tenant),
    },
    turns: options.turns,
    nextTurn: options.nextTurn,
    idleMs: options.idleMs,
    readingTurns: options.readingTurns,
    counts: metrics.network(name),
    cacheCounts: metrics,
    onRefused: metrics.budgetRefused,
    marks: createCallMarks(options.clock),
    // Every context below a stage of the gateway is its own, or a fork of it.
    filters: {
      shares: options.filters,
      mostOf: (context) => maxFiltersOf?.((context as GatewayContext).caller.principal),
      refusalOf: (request, context) => check(request, context as GatewayContext),
      newId: options.newFilterId,
    },
    cache: options.cache,
    views: options.views,
    ledgerOf: shared && ((upstream) => shared.spend(`${name}:${upstream}`)),
    clock: options.clock,
    random: options.random,
    randomBytes: options.randomBytes,
    log: options.log,
  }
}
