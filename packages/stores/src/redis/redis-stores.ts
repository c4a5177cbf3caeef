import type { Clock } from '../clock.ts'
import { systemClock } from '../defaults.ts'
import type { FilterStore } from '../filters/filter-store.ts'
import { type Cordons, createCordons } from './cordons.ts'
import { createRedisLimits, type LimitAuthority } from './limit-authority.ts'
import { connectRedis, type RedisState } from './redis-connection.ts'
import { createSharedFilters } from './shared-filters.ts'
import { createSharedSpend, type SharedSpend } from './shared-spend.ts'
import { createSharedView, type SharedViewStore } from './shared-view.ts'

/** The address of Redis, and the names to keep things under. */
export interface RedisOptions {
  /** `redis://user:password@host:6379/0`, or `rediss://` for TLS. Of a Redis Cluster: some of its nodes, in a list. */
  readonly url: string | readonly string[]
  /** Begins every key and channel; `wayleave` by default. Deployments that share a Redis need different ones. */
  readonly prefix?: string
  /** The least number of processes that share a provider's plan while Redis is gone. Default 1. */
  readonly leastProcesses?: number
  readonly clock?: Clock
}

/** State that several processes share through Redis. */
export interface RedisStores extends AsyncDisposable {
  /** Rejects within 1 s with StoresError `unavailable` where Redis does not answer. */
  readonly limits: LimitAuthority
  readonly cordons: Cordons
  /** The shared view of a network; the same one for the same network. */
  view(network: string): SharedViewStore
  /**
   * The filters of a network, 100,000 at most: then a new one rejects with StoresError `conflict`. Expired ones make room. All reject within
   * 1 s with StoresError `unavailable` where Redis does not answer.
   */
  filters(network: string): FilterStore
  /** The units of a provider's plan that are spent; the same one for the same plan. */
  spend(plan: string): SharedSpend
  /** Whether Redis answers, told at most 2 s after it changed. */
  state(): RedisState
  /** Calls `listener` at each change of the state; the function returned ends that. */
  onState(listener: (state: RedisState) => void): () => void
  /** Ends every connection within 1 s. May be called again. */
  close(): Promise<void>
}

/**
 * Opens the shared state, and resolves when Redis answered, or after 1 s where it does not: connecting goes on in the background.
 * @throws StoresError `unavailable` for anything but a URL of Redis.
 */
export async function openRedis({
  url,
  prefix = 'wayleave',
  leastProcesses = 1,
  clock = systemClock,
}: RedisOptions): Promise<RedisStores> {
  const redis = connectRedis(url, prefix, clock)
  const views = new Map<string, SharedViewStore>()
  const spends = new Map<string, SharedSpend>()
  const cordons = createCordons(redis)
  await redis.start()

  const stores: RedisStores = {
    limits: createRedisLimits(redis, clock),
    cordons,
    view(network) {
      let view = views.get(network)
      if (view === undefined) views.set(network, (view = createSharedView(redis, network, clock)))
      return view
    },
    filters: (network) => createSharedFilters(redis, network),
    spend(plan) {
      let spend = spends.get(plan)
      if (spend === undefined) spends.set(plan, (spend = createSharedSpend(redis, plan, clock, leastProcesses)))
      return spend
    },
    state: redis.state,
    onState: redis.onState,
    close: redis.close,
    [Symbol.asyncDispose]: redis.close,
  }
  return stores
}
