import type { Clock } from './clock.ts'

/** setTimeout treats a larger delay as 1 ms. */
const longestTimer = 2 ** 31 - 1

/** The real clock. This file is the only place of the package that touches ambient time. */
export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(ms, 0), longestTimer))
    return () => clearTimeout(timer)
  },
}

/** Makes 128 random bits, as digits. */
export function randomText(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('')
}
