/** CLOCK_MONOTONIC in µs, as service managers read it. This file is the only place of the package that touches ambient time. */
export function monotonicUsec(): bigint {
  return process.hrtime.bigint() / 1_000n
}
