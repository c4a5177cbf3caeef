import { boolean, choice, integer, is, optional, type Schema, shown } from '@wayleave/jsonrpc-core/schema'
import { redis } from './redis-schema.ts'
import { exact, milliseconds } from './schema-parts.ts'

/** The cache of answers, which all networks share. */
export interface CacheConfig {
  /** Most bytes that it takes in memory, keys and overhead counted. Default: a sixteenth of the memory, at most 256 MiB. */
  readonly maxBytes?: number
  /** Whether answers are kept that no proof covers, such as those to `eth_call`, on networks that verify. Default true. */
  readonly unproven?: boolean
  /** Time for which an answer at an earlier head may be given while the next one is fetched, in ms. Default: never. */
  readonly staleMs?: number
  /**
   * The URL of a Redis behind the memory, whose answers replicas share; of a Redis Cluster, some of its nodes. One of its own, since it may
   * evict, which that of `redis` must not. Default: none.
   */
  readonly redis?: string | readonly string[]
}

const leastBytes = 1_048_576
const mostBytes = 268_435_456

/** The bound of the cache: as configured, else by the memory of the process, in bytes. */
export function cacheBytesOf({ maxBytes }: CacheConfig, memoryBytes: number): number {
  return maxBytes ?? Math.max(leastBytes, Math.min(Math.floor(memoryBytes / 16), mostBytes))
}

/** No cache. */
export const noCache: Schema<false> = is<false>(
  'false',
  (value) => value === false,
  () => ({ const: false }),
)

const cacheObject = exact<CacheConfig>('false or { maxBytes?, unproven?, staleMs?, redis? }', {
  maxBytes: optional(shown(integer('a whole number of bytes, 1 MiB at least', leastBytes))),
  unproven: optional(shown(boolean)),
  staleMs: optional(shown(milliseconds)),
  redis: optional(redis),
})

/** The schema of {@link CacheConfig}, or none. */
export const cache: Schema<CacheConfig | false> = choice<CacheConfig | false>(
  cacheObject.expected,
  (value) => (value === false ? noCache : cacheObject),
  [noCache, cacheObject],
)
