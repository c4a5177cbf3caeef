import type { Clock } from '@wayleave/jsonrpc-core'
import { cacheBytesOf } from '@wayleave/network/config'
import type { Log } from '@wayleave/telemetry'
import { type OpenCache, openMemoryCache } from '@wayleave/network'
import type { Config } from '../config/config.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { openSharedAnswers } from './shared-answers.ts'

/**
 * Opens the cache of all networks; undefined where it is not wanted. `memoryBytes`: the memory of the process.
 * @throws ConfigError for a `cache.redis` that is no URL of one
 */
export async function openCache(
  { cache: config = {} }: Pick<Config, 'cache'>,
  memoryBytes: number,
  { metrics, clock, log }: { readonly metrics: Metrics; readonly clock: Clock; readonly log: Log },
): Promise<OpenCache | undefined> {
  if (config === false) return undefined
  const maxBytes = cacheBytesOf(config, memoryBytes)
  if (maxBytes > memoryBytes / 2) {
    log.warn({ maxBytes, memoryBytes }, 'cache.maxBytes is more than half of the memory of this process; give it less')
  }
  const shared = await openSharedAnswers(config.redis, { clock, log })
  const cache = await openMemoryCache(config, maxBytes, shared)
  metrics.watchCache(cache.store)
  return cache
}
