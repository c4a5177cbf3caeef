import { systemClock, systemRandom } from './defaults.ts'
import type { Clock } from './clock.ts'

/** The waits between attempts to connect. */
export interface BackoffOptions {
  /** The first wait is random within this, each further one within twice that, in ms. Default 100. */
  readonly baseDelayMs?: number
  /** The longest random wait, in ms. Default 5,000. */
  readonly maxDelayMs?: number
  readonly clock?: Clock
  /** A number from 0 up to 1. */
  readonly random?: () => number
}

export interface Backoff {
  /** Records that the attempt succeeded. */
  succeeded(): void
  /** Records that the attempt failed, or that a connection ended. Returns the wait before the next attempt, in ms; 0: none. */
  failed(): number
}

/** A connection that lasted so long was healthy, and its failure counts as the first, in ms. */
const healthyAfterMs = 1_000

/** Spaces attempts by capped exponential waits with full jitter. The first failure after a success costs no wait. */
export function createBackoff(options: BackoffOptions): Backoff {
  const { baseDelayMs = 100, maxDelayMs = 5_000, clock = systemClock, random = systemRandom } = options
  let failures = 0
  let worksSince: number | undefined
  return {
    succeeded() {
      worksSince = clock.now()
    },
    failed() {
      const worked = worksSince !== undefined
      if (worked && clock.now() - worksSince! >= healthyAfterMs) failures = 0
      worksSince = undefined
      const nth = failures++
      return worked && nth === 0 ? 0 : random() * Math.min(maxDelayMs, baseDelayMs * 2 ** nth)
    },
  }
}
