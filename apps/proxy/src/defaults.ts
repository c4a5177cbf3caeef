/* This file is the only place of the package that touches ambient time. */

/** CLOCK_MONOTONIC in µs, as service managers read it. */
export function monotonicUsec(): bigint {
  return process.hrtime.bigint() / 1_000n
}

/** A signal that aborts after so many ms. */
export function afterMs(ms: number): AbortSignal {
  return AbortSignal.timeout(ms)
}
