/** Time for which something counts as known. It is tried again afterwards, and if it is still so, it counts for twice as long. */
export interface Hold {
  /** Whether it counts. */
  lasts(now: number): boolean
  /** Counts from now on. */
  begin(now: number): void
  /** Counts for a moment more: it is being tried again. */
  tried(now: number): void
}

/** Time within which a call that tries again should have been answered, in ms. */
const trialMs = 30_000
const longestMs = 16

/** Creates a hold that has not begun. `firstMs`: its time, in ms; at most 16 times as long later. */
export function createHold(firstMs: number): Hold {
  let until = Number.NEGATIVE_INFINITY
  let ms = firstMs
  let isTried = false
  return {
    lasts: (now) => now < until,
    begin(now) {
      if (isTried) ms = Math.min(2 * ms, longestMs * firstMs)
      isTried = false
      until = now + ms
    },
    tried(now) {
      isTried = true
      until = now + trialMs
    },
  }
}
