import type { Clock } from '../../src/index.ts'

/** A clock whose timers run out when the test says so. */
export interface TestClock extends Clock {
  /** As if any time had passed. */
  runOut(): void
}

export function createTestClock(): TestClock {
  const timers = new Set<() => void>()
  return {
    now: () => 0,
    date: () => 0,
    after(_ms, run) {
      timers.add(run)
      return () => timers.delete(run)
    },
    runOut() {
      const due = Array.from(timers)
      timers.clear()
      for (const run of due) run()
    },
  }
}
