import type { CacheOutcome, MemoryStore } from '@wayleave/rpc-cache'
import type { CallClass } from '@wayleave/network'
import type { Counter, Registry } from '@wayleave/telemetry'
import type { MetricFamilies } from './families.ts'

export interface CacheMetrics {
  /** Counts a call that the cache may answer, and the bytes of a result that it gave. */
  cacheAnswered(network: string, outcome: CacheOutcome, method: CallClass, bytes: number): void
  /** Counts a network from the beginning, if it comes again. */
  forgetCached(network: string): void
  /** Prints the state of the memory from now on, too. */
  watchCache(store: Pick<MemoryStore, 'bytes' | 'maxBytes' | 'tallyOf'>): void
}

/** Creates the counts of the cache. */
export function createCacheMetrics(registry: Registry, families: MetricFamilies): CacheMetrics {
  /** By network, class and outcome: these are counted with each call, and a name of all three would be printed for each. */
  const found = new Map<string, Map<CallClass, Map<CacheOutcome, Counters>>>()

  /** Evictions that were printed, by network. */
  const evicted = new Map<string, number>()

  function countersOf(network: string, outcome: CacheOutcome, method: CallClass): Counters {
    const classes = entryOf(found, network, () => new Map<CallClass, Map<CacheOutcome, Counters>>())
    const outcomes = entryOf(classes, method, () => new Map<CacheOutcome, Counters>())
    return entryOf(outcomes, outcome, () => ({
      answers: families.cacheAnswers(network, method, outcome),
      served: families.cacheServedBytes(network, method),
    }))
  }

  return {
    cacheAnswered(network, outcome, method, length) {
      const counters = found.get(network)?.get(method)?.get(outcome) ?? countersOf(network, outcome, method)
      counters.answers.add()
      if (length > 0) counters.served.add(length)
    },
    forgetCached(network) {
      found.delete(network)
      evicted.delete(network)
    },
    watchCache(store) {
      registry.beforePrint(() => {
        families.cacheBytes().set(store.bytes)
        families.cacheMaxBytes().set(store.maxBytes)
        for (const network of found.keys()) {
          const tally = store.tallyOf(network)
          families.cacheAnswerBytes(network).set(tally?.bytes ?? 0)
          families.cacheEntries(network).set(tally?.entries ?? 0)
          const [known, now] = [evicted.get(network) ?? 0, tally?.evictions ?? 0]
          // The store counts a network anew that had nothing left.
          families.cacheEvictions(network).add(now < known ? now : now - known)
          evicted.set(network, now)
        }
      })
    },
  }
}

interface Counters {
  readonly answers: Counter
  readonly served: Counter
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
