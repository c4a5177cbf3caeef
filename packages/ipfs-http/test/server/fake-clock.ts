import type { Clock } from '../../src/clock.ts'

export interface FakeClock extends Clock {
  /** Moves time on and runs what is due. */
  advance(ms: number): void
  /** Resolves when something waits for a timer. */
  waiting(): Promise<void>
  readonly pending: number
}

/** A clock that stands still until it is moved. */
export function fakeClock(startMs = Date.UTC(2026, 10, 21)): FakeClock {
  let now = 0
  const timers = new Set<{ at: number; run: () => void }>()
  const hearers: (() => void)[] = []
  return {
    now: () => now,
    date: () => startMs + now,
    after(ms, run) {
      const timer = { at: now + ms, run }
      timers.add(timer)
      for (const hear of hearers.splice(0)) hear()
      return () => void timers.delete(timer)
    },
    advance(ms) {
      now += ms
      for (const timer of [...timers].filter(({ at }) => at <= now)) {
        timers.delete(timer)
        timer.run()
      }
    },
    waiting: () => (timers.size > 0 ? Promise.resolve() : new Promise((resolve) => void hearers.push(resolve))),
    get pending() {
      return timers.size
    },
  }
}
