import {
  coalesce,
  type CoalesceOptions,
  type Clock,
  type RpcContext,
  type RpcHandler,
  type RpcMiddleware,
  type RpcRequest,
} from '@wayleave/jsonrpc-core'
import {
  apiVersion,
  cacheHead,
  type CacheStage,
  composeStages,
  type EventOptions,
  isRead,
  type NetworkKind,
  type NetworkPool,
  type NetworkSources,
  opensSubscription,
  pinnedUpstream,
  type Stage,
} from '@wayleave/network'
import type { NoteDenial } from '../denial.ts'
import type { GatewayContext } from '../context/context.ts'
import { type MarkKind, markStage, traceOf } from '../trace/call-trace.ts'
import { authorize } from './stages/authorize.ts'
import { holdResults } from './stages/hold-results.ts'
import { limitBatches, type LimitBatchesOptions } from './stages/limit-batches.ts'
import { limitCalls, type LimitCallsOptions } from './stages/limit-calls.ts'
import { limitSubscriptions, type LimitSubscriptionsOptions } from './stages/limit-subscriptions.ts'
import { limitTime } from './stages/limit-time.ts'
import { meterCalls, type MeterCallsOptions } from './stages/meter-calls.ts'
import { pinCalls, type PinCallsOptions } from './stages/pin-calls.ts'
import { tellApiVersion } from './stages/tell-api-version.ts'

type OfCallers = RpcMiddleware<GatewayContext>
type OfNetwork = RpcMiddleware<RpcContext>

export interface PipelineOptions
  extends
    NetworkSources,
    EventOptions,
    MeterCallsOptions,
    LimitCallsOptions,
    LimitBatchesOptions,
    LimitSubscriptionsOptions,
    Omit<PinCallsOptions, 'kind'> {
  readonly kind: NetworkKind
  /** The version of callers whose path names none, where the kind has several. Default: its usual one. */
  readonly apiVersion: string | undefined
  /** Asks the upstreams, and the stages above them. */
  readonly pool: Pick<NetworkPool, 'asking'> & Partial<Pick<NetworkPool, 'stages' | 'chain'>>
  /** The methods whose answers are compared. */
  readonly comparedMethods?: Iterable<string> | undefined
  /** Has questions of the gateway's own asked for several processes. Default: they are asked from here. */
  readonly shareOwnQuestions?: OfNetwork | undefined
  /** Keeps answers. Default: none is kept. */
  readonly cache?: CacheStage | undefined
  /** Serves filters, over the upstreams. Default: they are asked as they are. */
  readonly filters?: OfNetwork | undefined
  /** Serves subscriptions from the chain that is followed. Default: they are those of an upstream. */
  readonly streams?: OfNetwork | undefined
  /** Serves calls for logs of any range, where the kind has them. */
  readonly logs?: Stage | undefined
  /** Traces calls. Default: none is traced. */
  readonly trace?: OfCallers | undefined
  /** Counts calls with their outcomes. Default: nobody does. */
  readonly watchCalls?: OfCallers | undefined
  /** Reports the calls of batches that no upstream answered. Default: nobody does. */
  readonly watchBatches?: OfCallers | undefined
  readonly denyMethods: readonly string[]
  /** The exact names of the methods that are served. Default: all are. */
  readonly allowMethods?: readonly string[] | undefined
  readonly noteDenial: NoteDenial
  /** Longest answer that callers of the same read share, in bytes. */
  readonly maxSharedBytes: number
  /** The groups whose upstreams may be asked for calls of a lane; undefined: all may. Default: all may, for every lane. */
  readonly groupsOf?: GroupsOf
}

type GroupsOf = (lane: string | undefined) => readonly string[] | undefined

/** The way of calls through a network, from where they are decoded on. */
export interface Pipeline {
  /** Answers callers. */
  readonly calls: RpcHandler<GatewayContext>
  /** Answers the gateway's own questions, below the stages of callers. */
  readonly nodes: RpcHandler
  /** Asks the upstreams, below the cache. */
  readonly upstreams: RpcHandler
  /** The names of the stages that are there, outermost first. */
  readonly stages: readonly string[]
}

/**
 * Builds the way of a call, from its decoding to an upstream, as one list: the first stage is the outermost. Without `methods`, calls of
 * all methods pass a stage; one without `apply` is not there. Each attempt of the pool then passes the wrapped endpoint of its upstream
 * (`createNetworkPool`): translation or verification, what learns limits of ranges, the transport.
 */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { kind, pool, cache, clock, denyMethods, allowMethods, noteDenial, groupsOf } = options
  const { facts, apiVersions } = kind
  const opening = Object.keys(facts).filter((method) => opensSubscription(facts, method))
  const reads = Object.keys(facts).filter((method) => isRead(facts, method))
  const shareReads = coalesce({ clock, maxSharedBytes: options.maxSharedBytes, key: shareKey, onJoin: noteJoin(clock) })

  const ofCallers: readonly PossibleStage<GatewayContext>[] = [
    { name: 'trace', apply: options.trace },
    { name: 'count outcomes', apply: options.watchCalls },
    { name: 'report lost calls of batches', apply: options.watchBatches },
    { name: 'hold results', apply: holdResults },
    { name: 'version of the interface', apply: apiVersions && tellApiVersion(apiVersions, options.apiVersion) },
    { name: 'meter', apply: meterCalls(options) },
    // Further rules for callers go below, where the caller may call.
    { name: 'authorize', apply: authorize({ denyMethods, allowMethods, addressesOf: kind.addressesOf, noteDenial }) },
    { name: 'limit time', apply: limitTime(clock) },
    { name: 'limit batches', apply: limitBatches(options) },
    { name: 'limit calls in flight', apply: limitCalls(options) },
    { name: 'limit subscriptions', methods: opening, apply: limitSubscriptions(options) },
    { name: 'pin to one block', apply: pinCalls(options) },
    kind.events(options),
    ...kind.rules({ ...options, rollupNode: options.rollupNode && shareReads(options.rollupNode) }),
    { name: 'filters', methods: kind.filters?.methods, apply: options.filters },
    { name: 'streams', methods: opening, apply: options.streams },
    ...(options.logs === undefined ? [] : [options.logs]),
  ]
  // The gateway's own questions begin here.
  const ofNetwork: readonly PossibleStage<RpcContext>[] = [
    { name: 'mark the entry', apply: cache && mark('entered', clock) },
    { name: 'cache', apply: cache && perGroups(groupsOf, (next, groups) => cache.wrap(next, groups)) },
    { name: 'mark the pass', apply: cache && mark('passed', clock) },
    { name: 'share reads in flight', methods: reads, apply: perGroups(groupsOf, shareReads) },
  ]
  const ofPool: readonly PossibleStage<RpcContext>[] = [
    { name: 'share own questions', apply: options.shareOwnQuestions },
    { name: 'one view', apply: pool.stages?.oneView },
    { name: 'unsealed blocks', methods: kind.flashblocks?.methods, apply: pool.chain?.flashblocks?.stage },
    { name: 'one upstream for a sender', methods: kind.senders?.methods, apply: pool.stages?.keepSenders },
    { name: 'watch subscriptions', methods: opening, apply: pool.stages?.watchSubscriptions },
    { name: 'refuse ranges', methods: kind.ranges?.methods, apply: pool.stages?.refuseRanges },
    { name: 'compare', methods: options.comparedMethods, apply: pool.stages?.compare },
  ]
  const upstreams = composeStages(ofPool.filter(isThere), pool.asking)
  const nodes = composeStages(ofNetwork.filter(isThere), upstreams)
  const stages = [...ofCallers, ...ofNetwork, ...ofPool].filter(({ apply }) => apply !== undefined)
  return {
    calls: composeStages(ofCallers.filter(isThere), nodes),
    nodes,
    upstreams,
    stages: stages.map(({ name }) => name),
  }
}

type PossibleStage<C extends RpcContext> = Omit<Stage<C>, 'apply'> & { readonly apply: RpcMiddleware<C> | undefined }

function isThere<C extends RpcContext>(stage: PossibleStage<C>): stage is Stage<C> {
  return stage.apply !== undefined
}

/** Notes when a traced call comes here. */
function mark(kind: MarkKind, clock: Pick<Clock, 'now'>): OfNetwork {
  return (next) => (request, context) => {
    markStage(context, kind, clock)
    return next(request, context)
  }
}

/** Keeps apart the calls of lanes that may ask different upstreams: an answer must come from none of the others. */
function perGroups(
  groupsOf: GroupsOf | undefined,
  apply: (next: RpcHandler, groups: readonly string[] | undefined) => RpcHandler,
): OfNetwork {
  return (next) => {
    const ungrouped = apply(next, undefined)
    if (groupsOf === undefined) return ungrouped
    // The configuration names the groups.
    const byGroups = new Map<string, RpcHandler>()
    return (request, context) => {
      const groups = groupsOf(context.lane)
      if (groups === undefined) return ungrouped(request, context)
      const name = groups.join(' ')
      let handler = byGroups.get(name)
      if (handler === undefined) byGroups.set(name, (handler = apply(next, groups)))
      return handler(request, context)
    }
  }
}

function noteJoin(clock: Pick<Clock, 'now'>): NonNullable<CoalesceOptions['onJoin']> {
  return (context, flight) => {
    const trace = traceOf(context)
    if (trace !== undefined) trace.leader = traceOf(flight)
    markStage(context, 'joined', clock)
  }
}

/** Longest params of a read that is shared, in bytes: its name is a further copy of them. */
const longestShared = 65_536

/** Names a read, so that identical ones in flight are asked once; undefined for one that is too long to be shared. */
export function shareKey(request: RpcRequest): string | undefined {
  const { method, params } = request
  const version = `${apiVersion.of(request) ?? ''}${pinnedUpstream.of(request) ?? ''}${cacheHead.of(request) ?? ''}`
  if (params !== undefined && params.byteLength > longestShared) return undefined
  return params === undefined ? `${version} ${method}` : `${version} ${method} ${params.text()}`
}
