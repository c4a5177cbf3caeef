import type { Clock } from '../clock.ts'

/** Leaves alone what failed, and tries it again with one call at a time: a circuit breaker. */
export interface Rest {
  /** Whether a call may be made. Who makes it says how it went. */
  mayCall(): boolean
  succeeded(): void
  failed(): void
}

const [firstRestMs, lastRestMs] = [100, 5_000]
/** Failures in a row until it is left alone: one may be a pause of this process. */
const mostFailures = 3

export function createRest(clock: Clock): Rest {
  let failures = 0
  let restMs = firstRestMs
  /** Left alone until then; undefined: it works. */
  let until: number | undefined

  function rest(): void {
    until = clock.now() + restMs
    restMs = Math.min(2 * restMs, lastRestMs)
  }

  return {
    mayCall() {
      if (until === undefined) return true
      if (clock.now() < until) return false
      // Others wait for as long again: the outcome of this call comes first.
      rest()
      return true
    },
    succeeded() {
      failures = 0
      restMs = firstRestMs
      until = undefined
    },
    failed() {
      if (++failures >= mostFailures && until === undefined) rest()
    },
  }
}
