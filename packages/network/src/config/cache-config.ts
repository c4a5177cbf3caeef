import { boolean, choice, integer, is, type Schema, shown, type TypeOf } from '@wayleave/jsonrpc-core/schema'
import { redis } from './redis-schema.ts'
import { defaultsOf, exact, setting } from './setting.ts'

const leastBytes = 1_048_576
const mostBytes = 268_435_456

const members = {
  maxBytes: setting(
    shown(integer('a whole number of bytes, 1 MiB at least', leastBytes)),
    'Most bytes that it takes in memory, keys and overhead counted. Default: a sixteenth of the memory, at most 256 MiB.',
  ),
  unproven: setting(
    shown(boolean),
    'Whether answers are kept that no proof covers, such as those to `eth_call`, on networks that verify.',
    true,
  ),
  redis: setting(
    redis,
    'The URL of a Redis behind the memory, whose answers replicas share; of a Redis Cluster, some of its nodes. One of its own, since it may evict, which that of `redis` must not. Default: none.',
  ),
}

const cacheObject = exact('false or { maxBytes?, unproven?, redis? }', members)

/** The cache of answers, which all networks share. */
export type CacheConfig = TypeOf<typeof cacheObject>

export const noCache: Schema<false> = is<false>(
  'false',
  (value) => value === false,
  () => ({ const: false }),
)

/** The schema of {@link CacheConfig}, or none. */
export const cache = choice<CacheConfig | false>(
  cacheObject.expected,
  (value) => (value === false ? noCache : cacheObject),
  [noCache, cacheObject],
)

export const cacheDefaults = defaultsOf(members)

/** The bound of the cache: as configured, else by the memory of the process, in bytes. */
export function cacheBytesOf({ maxBytes }: CacheConfig, memoryBytes: number): number {
  return maxBytes ?? Math.max(leastBytes, Math.min(Math.floor(memoryBytes / 16), mostBytes))
}
