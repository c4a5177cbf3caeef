import type { Clock } from './clock.ts'

/** The longest delay that `setTimeout` keeps, in ms; it treats a longer one as 1 ms. */
const longestTimer = 2 ** 31 - 1

/** The real clock. Only this file of the package reads ambient time and chance. */
export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(ms, 0), longestTimer))
    return () => clearTimeout(timer)
  },
}

/** The real source of randomness, for jitter; not for secrets. */
export const systemRandom = (): number => Math.random()
