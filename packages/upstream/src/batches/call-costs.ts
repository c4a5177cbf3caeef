import type { Clock } from '@wayleave/jsonrpc-core'

/** How long calls of a method keep an upstream that answers the calls of a batch one after another. */
export interface CallCosts {
  /** Whether a call had better be sent alone, as none was of late: its wait is what that for a batch is compared with. */
  readonly wantsSingle: boolean
  /** The time that a batch of calls may take at the upstream beyond that of one, in ms. */
  readonly mostMs: number
  /** Returns the time that a call of a method is expected to take there, in ms. */
  of(method: string): number
  /** Notes the wait for a call that was sent alone, in ms, and the length of its answer. */
  single(method: string, ms: number, bytes: number): void
  /** Notes the wait for a batch, in ms, and the length of each answer. */
  batch(methods: readonly string[], ms: number, bytes: readonly number[]): void
  /** Returns the wait that is expected for a batch, in ms. */
  expectedMs(methods: readonly string[]): number
  /** Notes that a batch was too long or too slow to be waited for: calls of its methods leave alone for a while. */
  tooMuch(methods: readonly string[]): void
}

/** Least time that a batch may take beyond that of one call, in ms, and the part of the wait for one that it may. */
const leastMostMs = 2
const partOfWait = 4
/** A long answer is read at once with the others of its batch: so many bytes count as one ms. */
const bytesPerMs = 65_536
const leastMs = 0.01
/** An estimate counts half after so long, so that larger batches are tried again, in ms. */
const halfLifeMs = 30_000
/** A call of a batch that was too much is taken for so many times the time that a batch may take: for a minute it leaves alone. */
const tooMuchTimes = 4
/** A call is sent alone at least once in so many ms. */
const singleEveryMs = 1_000
const weight = 1 / 4
/** One batch makes calls no slower than so many times, and so many ms more: it may have waited by chance. */
const mostTimes = 4
const mostMoreMs = 0.25

interface Estimate {
  ms: number
  at: number
  /** The usual wait for a call that was sent alone, in ms; infinite while unknown. */
  aloneMs: number
}

/** Learns the costs of calls at one upstream. `priorMs`: the estimate for a method of which nothing is known. The methods must be of a table: each is kept. */
export function createCallCosts(clock: Pick<Clock, 'now'>, priorMs: (method: string) => number): CallCosts {
  const estimates = new Map<string, Estimate>()
  /** The shortest of the usual waits: mostly the way to the upstream, and its queue. */
  let wayMs = Number.POSITIVE_INFINITY
  let singleAt = Number.NEGATIVE_INFINITY

  function estimateOf(method: string): Estimate {
    let found = estimates.get(method)
    if (found === undefined)
      estimates.set(method, (found = { ms: priorMs(method), at: clock.now(), aloneMs: Number.POSITIVE_INFINITY }))
    return found
  }

  function current({ ms, at }: Estimate, now: number): number {
    return Math.max(leastMs, ms * 2 ** ((at - now) / halfLifeMs))
  }

  function mostMs(): number {
    return wayMs === Number.POSITIVE_INFINITY ? leastMostMs : Math.max(leastMostMs, wayMs / partOfWait)
  }

  return {
    get wantsSingle() {
      return clock.now() - singleAt >= singleEveryMs
    },
    get mostMs() {
      return mostMs()
    },
    of: (method) => current(estimateOf(method), clock.now()),
    single(method, ms, bytes) {
      const now = (singleAt = clock.now())
      const estimate = estimateOf(method)
      const { aloneMs } = estimate
      estimate.aloneMs = aloneMs === Number.POSITIVE_INFINITY ? ms : aloneMs + (ms - aloneMs) * weight
      wayMs = Number.POSITIVE_INFINITY
      for (const each of estimates.values()) wayMs = Math.min(wayMs, each.aloneMs)
      // Its time at the upstream lies between what it waits longer than others, and all that it waits.
      const least = Math.max(estimate.aloneMs - wayMs, bytes / bytesPerMs)
      const most = Math.max(estimate.aloneMs, least)
      estimate.ms = Math.min(Math.max(current(estimate, now), least), most)
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
      // The time of one call is in that of the way. The rest is shared in proportion to what was expected of each.
      const beyond = wayMs === Number.POSITIVE_INFINITY ? 0 : ms - wayMs
      const factor = (beyond * methods.length) / (methods.length - 1) / expected
      for (const [estimate, length] of longest) {
        const before = current(estimate, now)
        // Less than nothing makes up for what a batch waited longer by chance.
        const own = Math.min(before * factor, mostTimes * before + mostMoreMs)
        const reported = Math.max(own, length / bytesPerMs || Number.NEGATIVE_INFINITY)
        estimate.ms = Math.max(leastMs, before + (reported - before) * weight)
        estimate.at = now
      }
    },
    expectedMs(methods) {
      const now = clock.now()
      const way = wayMs === Number.POSITIVE_INFINITY ? 0 : wayMs
      return methods.reduce((sum, method) => sum + current(estimateOf(method), now), way)
    },
    tooMuch(methods) {
      const now = clock.now()
      for (const method of methods) {
        const estimate = estimateOf(method)
        estimate.ms = Math.max(current(estimate, now), tooMuchTimes * mostMs())
        estimate.at = now
      }
    },
  }
}
