import { wholeNumber } from './error.ts'

/** A rate: so many credits each second, and so many at once. */
export interface RateRule {
  /** Credits per second: a whole number from 1 to 10,000,000. */
  readonly credits: number
  /** Credits that a caller who was idle may use at once. Default: those of one second. */
  readonly burst?: number | undefined
}

/**
 * The arithmetic of one rate limit (generic cell rate algorithm, ITU-T I.371, virtual scheduling). The state of a key is one whole
 * number, its theoretical arrival time in ticks; 0 is a full bucket. A credit is a whole number of ticks, and a tick a microsecond
 * or shorter, so that nothing is rounded but the time, down.
 *
 * In any span the admitted credits are at most `burst + credits × seconds`. A call dearer than the burst is admitted by a full bucket,
 * and leaves it in debt.
 */
export interface Gcra {
  readonly credits: number
  readonly burst: number
  /** Microseconds until a call of `price` is admitted; 0: now. `now` is in microseconds. */
  wait(state: number, price: number, now: number): number
  /** Returns the state after a debit, whatever the limit says. A negative one gives back; more than a full bucket is never given. */
  debit(state: number, price: number, now: number): number
  /** Credits that are left; below 0 in debt. */
  remaining(state: number, now: number): number
  /** Whether the bucket is full, so that the state need not be kept. */
  isFull(state: number, now: number): boolean
}

/** Makes the arithmetic of a rate limit. @throws MeteringError `invalid_plan` */
export function createGcra(rule: RateRule, path = 'the rate'): Gcra {
  const credits = wholeNumber('invalid_plan', `${path}.credits`, rule.credits, { least: 1, most: 10_000_000 })
  const burst = wholeNumber('invalid_plan', `${path}.burst`, rule.burst ?? credits, { least: 1, most: 1_000_000_000 })
  const ticks = Math.ceil(1_000_000 / credits)
  const ticksPerMicro = (credits * ticks) / 1_000_000
  const tolerance = burst * ticks
  const ticksAt = (now: number): number => Math.floor(now * ticksPerMicro)
  return {
    credits,
    burst,
    wait(state, price, now) {
      const at = ticksAt(now)
      const debt = state > at ? state - at : 0
      const over = debt + Math.min(price * ticks, tolerance) - tolerance
      return over <= 0 ? 0 : Math.ceil((at + over) / ticksPerMicro) - now
    },
    debit(state, price, now) {
      const at = ticksAt(now)
      return Math.max(at, Math.max(state, at) + price * ticks)
    },
    remaining(state, now) {
      const at = ticksAt(now)
      return Math.floor((tolerance - Math.max(0, state - at)) / ticks)
    },
    isFull: (state, now) => state <= ticksAt(now),
  }
}
