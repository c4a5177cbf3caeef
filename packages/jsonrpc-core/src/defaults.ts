import type { Clock } from './clock.ts'

/** The longest delay that `setTimeout` keeps, in ms; it treats a longer one as 1 ms. */
const longestTimer = 2 ** 31 - 1
/** Waits from this long on, in ms, share a timer with those that end in the same part of a second, and end up to so many ms late. */
const sharedFromMs = 1_000
const lateMs = 16

/** A timer of several waits. */
interface SharedTimer {
  readonly runs: ((() => void) | undefined)[]
  left: number
  readonly timer: ReturnType<typeof setTimeout>
}

const shared = new Map<number, SharedTimer>()

/** Begins a long wait. Calls have one each, and seldom wait for its end: a timer of their own costs three times as much. */
function afterLong(ms: number, run: () => void): () => void {
  const slot = Math.ceil((performance.now() + ms) / lateMs)
  let at = shared.get(slot)
  if (at === undefined) {
    const runs: SharedTimer['runs'] = []
    const end = (): void => {
      shared.delete(slot)
      // One that throws keeps none of the others.
      for (const each of runs) if (each !== undefined) queueMicrotask(each)
    }
    at = { runs, left: 0, timer: setTimeout(end, slot * lateMs - performance.now()) }
    shared.set(slot, at)
  }
  const { runs, timer } = at
  const place = runs.push(run) - 1
  at.left++
  return () => {
    if (runs[place] === undefined) return
    runs[place] = undefined
    if (--at.left > 0 || shared.get(slot) !== at) return
    shared.delete(slot)
    clearTimeout(timer)
  }
}

/** The real clock. Only this file of the package reads ambient time and chance. */
export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  after(ms, run) {
    if (ms >= sharedFromMs && ms < longestTimer) return afterLong(ms, run)
    const timer = setTimeout(run, Math.min(Math.max(ms, 0), longestTimer))
    return () => clearTimeout(timer)
  },
}

/** The real source of randomness, for jitter; not for secrets. */
export const systemRandom = (): number => Math.random()
