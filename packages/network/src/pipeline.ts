import { coalesce, type RpcContext, type RpcHandler, type RpcMiddleware, type RpcRequest } from '@wayleave/jsonrpc-core'
import type { CacheStage } from './cache/cache-stage.ts'
import { isRead, opensSubscription } from './kinds/method-facts.ts'
import type { EventOptions, NetworkKind, NetworkSources } from './kinds/network-kind.ts'
import { composeStages, type PossibleStage, type Stage, stageNames } from './kinds/stage.ts'
import type { NetworkPool } from './pool/network-pool.ts'
import type { CallMarks } from './upstreams/call-marks.ts'
import { hintsOf } from './hints/call-hints.ts'

type Middleware = RpcMiddleware<RpcContext>

export interface PipelineOptions extends NetworkSources, EventOptions {
  readonly kind: NetworkKind
  /** Asks the upstreams, and the stages above them. */
  readonly pool: Pick<NetworkPool, 'asking'> & Partial<Pick<NetworkPool, 'stages' | 'chain'>>
  /** The methods whose answers are compared. */
  readonly comparedMethods?: Iterable<string> | undefined
  /** Has questions of the host's own asked for several processes. Default: they are asked from here. */
  readonly shareOwnQuestions?: Middleware | undefined
  /** Keeps answers. Default: none is kept. */
  readonly cache?: CacheStage | undefined
  /** Serves filters, over the upstreams. Default: they are asked as they are. */
  readonly filters?: Middleware | undefined
  /** Serves subscriptions from the chain that is followed. Default: they are those of an upstream. */
  readonly streams?: Middleware | undefined
  /** Serves calls for logs of any range, where the kind has them. */
  readonly logs?: Stage | undefined
  /** Marks what was found out about answers. Default: nothing was, on the whole network. */
  readonly markVerified?: Middleware | undefined
  /** Notes the way of calls. Default: no call is traced. */
  readonly marks?: Pick<CallMarks, 'entered' | 'passed' | 'joined'> | undefined
  /** Longest answer that callers of the same read share, in bytes. */
  readonly maxSharedBytes: number
  /** The groups whose upstreams may be asked for calls of a tenant; undefined: all may. Default: all may, for every tenant. */
  readonly groupsOf?: GroupsOf
}

type GroupsOf = (tenant: string | undefined) => readonly string[] | undefined

/** The way of calls through a network. */
export interface Pipeline {
  /** Answers calls of callers. */
  readonly calls: RpcHandler
  /** Answers questions of the host itself, from the cache on. */
  readonly nodes: RpcHandler
  /** Asks the upstreams, below the cache. */
  readonly upstreams: RpcHandler
  /** The names of the stages that are there, outermost first. */
  readonly stages: readonly string[]
}

/**
 * Builds the way of a call through its network, down to an upstream, as one list: the first stage is the outermost. Without `methods`,
 * calls of all methods pass a stage; one without `apply` is not there. Stages for callers, such as permissions and limits, go above, in the
 * host. Each attempt of the pool then passes the wrapped endpoint of its upstream (`createNetworkPool`): translation or verification, what
 * learns limits of ranges, the transport.
 */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { kind, pool, cache, clock, marks, groupsOf } = options
  const { facts } = kind
  const opening = Object.keys(facts).filter((method) => opensSubscription(facts, method))
  const reads = Object.keys(facts).filter((method) => isRead(facts, method))
  const { maxSharedBytes } = options
  const shareReads = coalesce({ clock, maxSharedBytes, key: shareKey, ...(marks && { onJoin: marks.joined }) })

  const ofCalls: readonly PossibleStage[] = [
    { name: 'mark what was verified', apply: options.markVerified },
    kind.events(options),
    ...kind.rules({ ...options, rollupNode: options.rollupNode && shareReads(options.rollupNode) }),
    { name: 'filters', methods: kind.filters?.methods, apply: options.filters },
    { name: 'streams', methods: opening, apply: options.streams },
    ...(options.logs === undefined ? [] : [options.logs]),
  ]
  // The host's own questions begin here.
  const ofNodes: readonly PossibleStage[] = [
    { name: 'mark the entry', apply: cache && marks && note(marks.entered) },
    { name: 'cache', apply: cache && perGroups(groupsOf, (next, groups) => cache.wrap(next, groups)) },
    { name: 'mark the pass', apply: cache && marks && note(marks.passed) },
    { name: 'share reads in flight', methods: reads, apply: perGroups(groupsOf, shareReads) },
  ]
  const ofPool: readonly PossibleStage[] = [
    { name: 'share own questions', apply: options.shareOwnQuestions },
    { name: 'one view', apply: pool.stages?.oneView },
    { name: 'unsealed blocks', methods: kind.flashblocks?.methods, apply: pool.chain?.flashblocks?.stage },
    { name: 'one upstream for a sender', methods: kind.senders?.methods, apply: pool.stages?.keepSenders },
    { name: 'watch subscriptions', methods: opening, apply: pool.stages?.watchSubscriptions },
    { name: 'refuse ranges', methods: kind.ranges?.methods, apply: pool.stages?.refuseRanges },
    { name: 'compare', methods: options.comparedMethods, apply: pool.stages?.compare },
  ]
  const upstreams = composeStages(ofPool, pool.asking)
  const nodes = composeStages(ofNodes, upstreams)
  const calls = composeStages(ofCalls, nodes)
  return { calls, nodes, upstreams, stages: stageNames([...ofCalls, ...ofNodes, ...ofPool]) }
}

/** Notes when a call comes here. */
function note(mark: (context: RpcContext) => void): Middleware {
  return (next) => (request, context) => {
    mark(context)
    return next(request, context)
  }
}

/** Keeps apart the calls of tenants that may ask different upstreams: an answer must come from none of the others. */
function perGroups(
  groupsOf: GroupsOf | undefined,
  apply: (next: RpcHandler, groups: readonly string[] | undefined) => RpcHandler,
): Middleware {
  return (next) => {
    const ungrouped = apply(next, undefined)
    if (groupsOf === undefined) return ungrouped
    // The configuration names the groups.
    const byGroups = new Map<string, RpcHandler>()
    return (request, context) => {
      const groups = groupsOf(context.tenant)
      if (groups === undefined) return ungrouped(request, context)
      const name = groups.join(' ')
      let handler = byGroups.get(name)
      if (handler === undefined) byGroups.set(name, (handler = apply(next, groups)))
      return handler(request, context)
    }
  }
}

/** Longest params of a read that is shared, in bytes: its name is a further copy of them. */
const longestShared = 65_536

/** Names a read, so that identical ones in flight are asked once; undefined for one that is too long to be shared. */
export function shareKey(request: RpcRequest): string | undefined {
  const { method, params } = request
  const { apiVersion = '', pinnedUpstream = '', cacheHead = '' } = hintsOf(request)
  const version = `${apiVersion}${pinnedUpstream}${cacheHead}`
  if (params !== undefined && params.byteLength > longestShared) return undefined
  return params === undefined ? `${version} ${method}` : `${version} ${method} ${params.text()}`
}
