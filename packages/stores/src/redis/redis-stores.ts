import type { Clock } from '@wayleave/jsonrpc-core'
import { systemClock } from '../defaults.ts'
import type { FilterStore } from '../filters/filter-store.ts'
import { createRedisLimits, type RedisLimits } from './limit-authority.ts'
import { connectRedis, type RedisState } from './redis-connection.ts'
import { createRedisPort } from './redis-port.ts'
import { createSharedFilters } from './shared-filters.ts'
import { createSharedStores, type SharedStores } from '../shared-state/shared-stores.ts'
import type { SharedView } from '../shared-state/shared-view.ts'

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
export interface RedisStores extends SharedStores, AsyncDisposable {
  /** Rejects within 1 s with StoresError `unavailable` where Redis does not answer. */
  readonly limits: RedisLimits
  /**
   * The heads and nonces that callers of a network were told. It is settled when Redis has what was raised here so far, and has passed it on;
   * after a connection, also when what it knew is here; at once where Redis is gone, within about 1 s where it is silent.
   */
  view(network: string): Required<SharedView>
  /**
   * The filters of a network, 100,000 at most: then a new one rejects with StoresError `conflict`. Expired ones make room. All reject within
   * 1 s with StoresError `unavailable` where Redis does not answer.
   */
  filters(network: string): FilterStore
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
  const { cordons, view, pushes, spend } = createSharedStores(createRedisPort(redis, clock, leastProcesses), clock)
  await redis.start()

  const stores: RedisStores = {
    limits: createRedisLimits(redis, clock),
    cordons,
    // Numbers of Redis can always be waited for.
    view: (network) => view(network) as Required<SharedView>,
    pushes,
    filters: (network) => createSharedFilters(redis, network),
    spend,
    state: redis.state,
    onState: redis.onState,
    close: redis.close,
    [Symbol.asyncDispose]: redis.close,
  }
  return stores
}
