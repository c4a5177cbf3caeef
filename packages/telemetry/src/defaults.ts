import { type Clock, systemClock } from '@wayleave/jsonrpc-core'

/** The real clock, with timers that do not keep the process alive. */
export const backgroundClock: Clock = {
  ...systemClock,
  after(ms, run) {
    const timer = setTimeout(run, ms).unref()
    return () => clearTimeout(timer)
  },
}
