import type { Clock } from '@wayleave/jsonrpc-core'

/** The clock of the gateway: the lab's, which tells how many timers the gateway itself has set. */
export interface CountedClock extends Clock {
  /** Timers that have neither run nor been stopped. */
  readonly timers: number
}

export function createCountedClock(clock: Clock): CountedClock {
  let timers = 0
  return {
    get timers() {
      return timers
    },
    now: () => clock.now(),
    date: () => clock.date(),
    after(ms, run) {
      let isSet = true
      timers++
      const over = (): boolean => {
        if (!isSet) return false
        isSet = false
        timers--
        return true
      }
      const stop = clock.after(ms, () => {
        if (over()) run()
      })
      return () => {
        if (over()) stop()
      }
    },
  }
}
