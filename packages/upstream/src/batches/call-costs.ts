import type { Clock } from '@wayleave/jsonrpc-core'

/** How long calls of a method keep an upstream that answers the calls of a batch one after another. */
export interface CallCosts {
  /** Whether no call was sent alone yet, so that the time of the way is not known. */
  readonly isNew: boolean
  /** The time that a batch of calls may take at the upstream beyond that of one, in ms. */
  readonly mostMs: number
  /** Returns the time that a call of a method is expected to take there, in ms. */
  of(method: string): number
  /** Notes the wait for a call that was sent alone, in ms, and the length of its answer. */
  single(method: string, ms: number, bytes: number): void
  /** Notes the wait for a batch, in ms, and the length of each answer. */
  batch(methods: readonly string[], ms: number, bytes: readonly number[]): void
}

/** Least time that a batch may take beyond that of one call, in ms, and the part of the way to the upstream that it may. */
const leastMostMs = 2
const partOfWay = 4
/** A long answer is read at once with the others of its batch: so many bytes count as one ms. */
const bytesPerMs = 65_536
const leastMs = 0.01
/** An estimate counts half after so long, so that larger batches are tried again, in ms. */
const halfLifeMs = 30_000
/** The shortest wait for a call that was sent alone is the time of the way. It rises by so much of each longer one. */
const wayRise = 1 / 64
const slowerWeight = 1 / 2
const fasterWeight = 1 / 8

interface Estimate {
  ms: number
  at: number
}

/** Learns the costs of calls at one upstream. `priorMs`: the estimate for a method of which nothing is known. The methods must be of a table: each is kept. */
export function createCallCosts(clock: Pick<Clock, 'now'>, priorMs: (method: string) => number): CallCosts {
  const estimates = new Map<string, Estimate>()
  /** The time to the upstream and back, in ms. */
  let wayMs = Number.POSITIVE_INFINITY

  function estimateOf(method: string): Estimate {
    let found = estimates.get(method)
    if (found === undefined) estimates.set(method, (found = { ms: priorMs(method), at: clock.now() }))
    return found
  }

  function current({ ms, at }: Estimate, now: number): number {
    return Math.max(leastMs, ms * 2 ** ((at - now) / halfLifeMs))
  }

  return {
    get isNew() {
      return wayMs === Number.POSITIVE_INFINITY
    },
    get mostMs() {
      return wayMs === Number.POSITIVE_INFINITY ? leastMostMs : Math.max(leastMostMs, wayMs / partOfWay)
    },
    of: (method) => current(estimateOf(method), clock.now()),
    single(method, ms, bytes) {
      wayMs = ms < wayMs ? ms : wayMs + (ms - wayMs) * wayRise
      const now = clock.now()
      const estimate = estimateOf(method)
      // Its time at the upstream lies between what it took longer than the shortest one, and all that it took.
      const least = Math.max(ms - wayMs, bytes / bytesPerMs)
      estimate.ms = Math.max(leastMs, Math.min(Math.max(current(estimate, now), least), Math.max(ms, least)))
      estimate.at = now
    },
    batch(methods, ms, bytes) {
      const now = clock.now()
      const longest = new Map<Estimate, number>()
      let expected = 0
      for (let i = 0; i < methods.length; i++) {
        const estimate = estimateOf(methods[i]!)
        expected += current(estimate, now)
        longest.set(estimate, Math.max(longest.get(estimate) ?? 0, bytes[i]!))
      }
      wayMs = Math.min(wayMs, ms)
      // The time of one call is in that of the way. The rest is shared in proportion to what was expected of each.
      const factor = ((ms - wayMs) * methods.length) / (methods.length - 1) / expected
      for (const [estimate, length] of longest) {
        const before = current(estimate, now)
        const told = Math.max(leastMs, before * factor, length / bytesPerMs)
        estimate.ms = before + (told - before) * (told > before ? slowerWeight : fasterWeight)
        estimate.at = now
      }
    },
  }
}
