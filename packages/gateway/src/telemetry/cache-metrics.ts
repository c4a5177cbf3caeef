import type { CacheOutcome, MemoryStore } from '@wayleave/rpc-cache'
import type { CallClass } from './call-labels.ts'
import type { Counter, Registry } from './registry.ts'

export interface CacheMetrics {
  /** Counts a call that the cache may answer, and the bytes of a result that it gave. */
  cacheAnswered(network: string, outcome: CacheOutcome, method: CallClass, bytes: number): void
  /** Counts a network from the beginning, if it comes again. */
  forgetCached(network: string): void
  /** Prints the state of the memory from now on, too. */
  watchCache(store: Pick<MemoryStore, 'bytes' | 'maxBytes' | 'tallyOf'>): void
}

/** Creates the metrics of the cache. */
export function createCacheMetrics(registry: Registry): CacheMetrics {
  const answers = registry.counter({
    name: 'wayleave_cache_answers_total',
    help: 'Calls that the cache may answer, by its outcome (hit, miss) and the class of the method',
    labels: ['network', 'class', 'outcome'],
  })
  const served = registry.counter({
    name: 'wayleave_cache_served_bytes_total',
    help: 'Bytes of results that the cache gave',
    labels: ['network', 'class'],
  })
  const bytes = registry.gauge({
    name: 'wayleave_cache_bytes',
    help: 'Bytes that the cache takes in memory; its bound is wayleave_cache_max_bytes',
  })
  const answerBytes = registry.gauge({
    name: 'wayleave_cache_answer_bytes',
    help: 'Bytes that the answers of a network take in the cache; what it takes for itself is not among them',
    labels: ['network'],
  })
  const maxBytes = registry.gauge({ name: 'wayleave_cache_max_bytes', help: 'Most bytes that the cache may take' })
  const entries = registry.gauge({
    name: 'wayleave_cache_entries',
    help: 'Answers that the cache has in memory',
    labels: ['network'],
  })
  const evictions = registry.counter({
    name: 'wayleave_cache_evictions_total',
    help: 'Answers that the cache gave up for want of room',
    labels: ['network'],
  })
  /** By network, class and outcome: these are counted with each call, and a name of all three would be printed for each. */
  const found = new Map<string, Map<CallClass, Map<CacheOutcome, Counters>>>()

  /** Evictions that were printed, by network. */
  const evicted = new Map<string, number>()

  function countersOf(network: string, outcome: CacheOutcome, method: CallClass): Counters {
    const classes = entryOf(found, network, () => new Map<CallClass, Map<CacheOutcome, Counters>>())
    const outcomes = entryOf(classes, method, () => new Map<CacheOutcome, Counters>())
    return entryOf(outcomes, outcome, () => ({
      answers: answers(network, method, outcome),
      served: served(network, method),
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
        bytes().set(store.bytes)
        maxBytes().set(store.maxBytes)
        for (const network of found.keys()) {
          const tally = store.tallyOf(network)
          answerBytes(network).set(tally?.bytes ?? 0)
          entries(network).set(tally?.entries ?? 0)
          const [known, now] = [evicted.get(network) ?? 0, tally?.evictions ?? 0]
          // The store counts a network anew that had nothing left.
          evictions(network).add(now < known ? now : now - known)
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
