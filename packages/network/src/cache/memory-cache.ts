import { createMemoryStore } from '@wayleave/rpc-cache'
import { createZstd } from '@wayleave/rpc-cache/node'
import type { CacheConfig } from '../config/cache-config.ts'
import type { OpenCache } from './open-cache.ts'
import type { SharedAnswerCache } from './shared-answer-cache.ts'

/** Opens a cache in memory, and before the answers that replicas share, if they share any. `maxBytes`: its bound. */
export async function openMemoryCache(
  config: CacheConfig,
  maxBytes: number,
  shared?: SharedAnswerCache,
): Promise<OpenCache> {
  const store = createMemoryStore({ maxBytes })
  // A process without a cache does not load it.
  const { headerHash } = await import('@wayleave/evm-verify')
  return {
    config,
    store,
    compression: createZstd(),
    shared,
    headerHash: headerHash as unknown as OpenCache['headerHash'],
    async close() {
      store.close()
      await shared?.close()
    },
  }
}
