import type { Clock } from '../src/clock.ts'

export interface FakeClock extends Clock {
  /** Moves time on and runs what is due. */
  advance(ms: number): void
  /** Runs every timer that was set until now, as if any time had passed. */
  runOut(): void
  /** Resolves when something waits for a timer. */
  waiting(): Promise<void>
  /** How many timers are set. */
  readonly pending: number
}

/** A clock that stands still until it is moved. */
export function fakeClock(startMs: number = Date.UTC(2026, 10, 21)): FakeClock {
  let now = 0
  const timers = new Set<{ readonly at: number; readonly run: () => void }>()
  const waiters: (() => void)[] = []

  function runUntil(time: number): void {
    for (const timer of [...timers].filter(({ at }) => at <= time)) {
      timers.delete(timer)
      timer.run()
    }
  }

  return {
    now: () => now,
    date: () => startMs + now,
    after(ms, run) {
      const timer = { at: now + ms, run }
      timers.add(timer)
      for (const wake of waiters.splice(0)) wake()
      return () => void timers.delete(timer)
    },
    advance(ms) {
      now += ms
      runUntil(now)
    },
    runOut: () => runUntil(Infinity),
    waiting: () => (timers.size > 0 ? Promise.resolve() : new Promise((resolve) => void waiters.push(resolve))),
    get pending() {
      return timers.size
    },
  }
}
