import { coalesce, type RpcContext, type RpcHandler, type RpcMiddleware, type RpcRequest } from '@wayleave/jsonrpc-core'
import type { NoteDenial } from '../denial.ts'
import { apiVersion } from '../networks/api-version.ts'
import { isRead } from '../networks/method-facts.ts'
import type { EventOptions, NetworkKind, NetworkSources } from '../networks/network-kind.ts'
import { askedAtHead } from '../network/cache/asked-at-head.ts'
import type { CacheStage } from '../network/cache/cache-stage.ts'
import { type MarkKind, markStage, traceOf } from '../trace/call-trace.ts'
import type { GatewayContext } from '../context/context.ts'
import { keptAt } from '../network/kept-at.ts'
import { authorize } from './stages/authorize.ts'
import { limitBatches, type LimitBatchesOptions } from './stages/limit-batches.ts'
import { limitCalls, type LimitCallsOptions } from './stages/limit-calls.ts'
import { limitSubscriptions, type LimitSubscriptionsOptions } from './stages/limit-subscriptions.ts'
import { limitTime } from './stages/limit-time.ts'
import { meterCalls, type MeterCallsOptions } from './stages/meter-calls.ts'
import { pinCalls, type PinCallsOptions } from './stages/pin-calls.ts'
import { tellApiVersion } from './stages/tell-api-version.ts'

export interface PipelineOptions
  extends
    NetworkSources,
    EventOptions,
    MeterCallsOptions,
    LimitCallsOptions,
    LimitBatchesOptions,
    LimitSubscriptionsOptions,
    PinCallsOptions {
  readonly kind: NetworkKind
  /** The version of callers whose path names none, where the kind has several. Default: its usual one. */
  readonly apiVersion: string | undefined
  /** Asks the upstreams. */
  readonly pool: RpcHandler
  /** Keeps answers. Default: none is kept. */
  readonly cache?: CacheStage | undefined
  /** Serves filters, over the upstreams. Default: they are asked as they are. */
  readonly filters?: RpcMiddleware<RpcContext> | undefined
  /** Serves subscriptions from the chain that is followed. Default: they are those of an upstream. */
  readonly streams?: RpcMiddleware<RpcContext> | undefined
  /** Serves calls for logs of any range, where the kind has them. */
  readonly logs?: RpcMiddleware<RpcContext> | undefined
  readonly denyMethods: readonly string[]
  readonly noteDenial: NoteDenial
  /** Longest answer that callers of the same read share, in bytes. */
  readonly maxSharedBytes: number
  /** The groups whose upstreams may be asked for calls of a lane; undefined: all may. Default: all may, for every lane. */
  readonly groupsOf?: (lane: string | undefined) => readonly string[] | undefined
}

export interface Pipeline {
  /** Answers callers. */
  readonly calls: RpcHandler<GatewayContext>
  /** Answers the gateway's own questions, below authorization and the rules for callers. */
  readonly nodes: RpcHandler
}

/** A middleware that may read the caller. The middlewares of a network's kind are typed without one. */
type Stage = RpcMiddleware<GatewayContext>

/** Builds the way of a call, from its decoding down to the pool, as the list of its stages. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { kind, pool, clock, denyMethods, noteDenial, maxSharedBytes, groupsOf } = options
  const { facts, apiVersions } = kind
  const shareReads = coalesce({
    clock,
    maxSharedBytes,
    key: (request) => shareKey(request, kind),
    onJoin(context, flight) {
      const trace = traceOf(context)
      if (trace !== undefined) trace.leader = traceOf(flight)
      markStage(context, 'joined', clock)
    },
  })
  const marked = (mark: MarkKind, handler: RpcHandler): RpcHandler => {
    return (request, context) => {
      markStage(context, mark, clock)
      return handler(request, context)
    }
  }
  const share = (groups?: readonly string[]): RpcHandler => {
    const asked = shareReads(pool)
    return options.cache === undefined ? asked : marked('entered', options.cache.wrap(marked('passed', asked), groups))
  }
  const nodes = groupsOf === undefined ? share() : shareWithinGroups(share, groupsOf)
  const rollupNode = options.rollupNode && shareReads(options.rollupNode)

  // The first stage is the outermost. A new rule is one line here, below `authorize` if it needs a caller who may call.
  const stages: readonly Stage[] = [
    ...(apiVersions === undefined ? [] : [tellApiVersion(options.apiVersion ?? apiVersions.usual)]),
    meterCalls(options),
    authorize({ denyMethods, addressesOf: kind.addressesOf, noteDenial }),
    limitTime(clock),
    limitBatches(options),
    limitCalls(options),
    limitSubscriptions(facts, options),
    pinCalls(options),
    kind.events(options),
    kind.normalise({ ...options, rollupNode }),
    ...(options.filters === undefined ? [] : [options.filters]),
    ...(options.streams === undefined ? [] : [options.streams]),
    ...(options.logs === undefined ? [] : [options.logs as Stage]),
  ]
  return { calls: compose(stages, nodes), nodes }
}

/** Wraps `handler` in stages, the first one outermost. */
function compose(stages: readonly Stage[], handler: RpcHandler): RpcHandler<GatewayContext> {
  // Every context below a stage is the gateway's own, or a fork of it.
  return stages.reduceRight<RpcHandler<GatewayContext>>((next, stage) => stage(next as RpcHandler), handler)
}

/** Shares the reads of lanes that may ask the same upstreams: an answer must come from none of the others. */
function shareWithinGroups(
  share: (groups?: readonly string[]) => RpcHandler,
  groupsOf: NonNullable<PipelineOptions['groupsOf']>,
): RpcHandler {
  const ungrouped = share()
  // The configuration names the groups.
  const shared = new Map<string, RpcHandler>()
  return (request, context) => {
    const groups = groupsOf(context.lane)
    if (groups === undefined) return ungrouped(request, context)
    const name = groups.join(' ')
    let handler = shared.get(name)
    if (handler === undefined) shared.set(name, (handler = share(groups)))
    return handler(request, context)
  }
}

/** Longest params of a read that is shared, in bytes: its name is a further copy of them. */
const longestShared = 65_536

/** Names a read, so that identical ones in flight are asked once; undefined for a call that must not be shared. */
export function shareKey(request: RpcRequest, { facts }: Pick<NetworkKind, 'facts'>): string | undefined {
  const { method, params } = request
  if (!isRead(facts, method)) return undefined
  const version = `${apiVersion.of(request) ?? ''}${keptAt.of(request) ?? ''}${askedAtHead.of(request) ?? ''}`
  if (params !== undefined && params.byteLength > longestShared) return undefined
  return params === undefined ? `${version} ${method}` : `${version} ${method} ${params.text()}`
}
