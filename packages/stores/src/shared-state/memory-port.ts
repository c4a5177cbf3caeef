import type { Clock } from '@wayleave/jsonrpc-core'
import { createNumberCopy } from './number-copy.ts'
import type { OwnCount, SharedNumbers, SharedPort, TotalCount } from './shared-port.ts'

/** Creates the port of a process that shares its state with no other. */
export function createMemoryPort(clock: Clock): SharedPort {
  const numbers = new Map<string, SharedNumbers>()
  const counters = createCounters(clock)
  return {
    numbers(name, options) {
      let known = numbers.get(name)
      if (known === undefined) {
        known = createNumberCopy(options, clock, () => {})
        numbers.set(name, known)
      }
      return known
    },
    add: async (name, counts) => ({ processes: 1, totals: counters.add(name, counts) }),
    every: undefined,
    apart: () => undefined,
  }
}

/** Totals in memory, which processes reach without loss. */
export interface Counters {
  add(name: string, counts: readonly OwnCount[]): readonly TotalCount[]
}

/** Creates counters without a count. */
export function createCounters(clock: Clock): Counters {
  const totals = new Map<string, { total: number; until: number }>()

  function totalOf(place: string, forMs: number): { total: number; until: number } {
    const now = clock.now()
    let found = totals.get(place)
    if (found === undefined) {
      for (const [old, { until }] of totals) if (until <= now) totals.delete(old)
      totals.set(place, (found = { total: 0, until: 0 }))
    }
    found.until = now + forMs
    return found
  }

  return {
    add: (name, counts) =>
      counts.map(({ key, mine, said, forMs }) => {
        const found = totalOf(JSON.stringify([name, key]), forMs)
        found.total += mine - said
        return { total: found.total, epoch: 'memory' }
      }),
  }
}
