import type { Clock } from '@wayleave/jsonrpc-core'
import { attemptMs } from './ask-once.ts'

/**
 * A time without success, in ms, over several attempts. It counts anew after a pause of the whole process, such as a sleeping machine:
 * where an attempt or a wait has ended over a second late.
 */
export interface Patience {
  /** Begins an attempt, and gives its deadline. */
  attempt(): number
  /** Begins a wait of `ms`; false where no time is left after it. */
  mayWait(ms: number): boolean
}

/** The most that timers of a running process are late, in ms. */
const mostLateMs = 1_000

/** Creates a patience that begins at once. */
export function createPatience(ms: number, clock: Clock): Patience {
  let end = clock.now() + ms
  /** The end of the attempt or the wait that is under way. */
  let due = end

  function renewed(): number {
    const now = clock.now()
    if (now > due + mostLateMs) end = now + ms
    return now
  }

  return {
    attempt() {
      due = Math.min(renewed() + attemptMs, end)
      return due
    },
    mayWait(waitMs) {
      const until = renewed() + waitMs
      if (until >= end) return false
      due = until
      return true
    },
  }
}
