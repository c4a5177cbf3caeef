/** Holds calls off an upstream that refuses our key. All times are ms on one clock. */
export interface HoldOff {
  readonly reason: HoldOffReason | undefined
  /** The time until which it is left alone. */
  readonly until: number
  /** Whether the upstream said for how long, and did not leave it to us. */
  readonly isReported: boolean
  /** Records a refusal of a call begun at `since`. `retryAfterMs`: the time that the upstream asked for, if it did. */
  refused(reason: HoldOffReason, since: number, now: number, retryAfterMs?: number): void
}

export type HoldOffReason = 'rate_limited' | 'quota_spent' | 'unauthorized'

/** The first and the longest time to leave it alone, in ms, unless it says itself for how long. */
const times: Readonly<Record<HoldOffReason, readonly [first: number, longest: number]>> = {
  rate_limited: [1_000, 30_000],
  quota_spent: [60_000, 900_000],
  unauthorized: [10_000, 300_000],
}
/** The longest time that is believed, in ms. */
const longestReportedMs = 3_600_000
/** A refusal so soon after the last hold-off is a repeated one, in ms. */
const repeatedWithinMs = 30_000

/** Creates a hold-off that holds nothing off. Repeated refusals double its time. */
export function createHoldOff(): HoldOff {
  let reason: HoldOffReason | undefined
  let setAt = Number.NEGATIVE_INFINITY
  let until = Number.NEGATIVE_INFINITY
  let isReported = false
  let refusals = 0
  return {
    get reason() {
      return reason
    },
    get until() {
      return until
    },
    get isReported() {
      return isReported
    },
    refused(why, since, now, retryAfterMs) {
      // Calls that were on their way already, or were sent as a last resort, are refused for the same cause.
      const isSame = reason === why && (since < setAt || now < until)
      if (isSame && retryAfterMs === undefined) return
      if (!isSame) refusals = reason === why && now <= until + repeatedWithinMs ? Math.min(refusals + 1, 30) : 0
      const [first, longest] = times[why]
      const end =
        now + Math.min(retryAfterMs ?? first * 2 ** refusals, retryAfterMs === undefined ? longest : longestReportedMs)
      if (end < until) return
      reason = why
      until = end
      isReported = retryAfterMs !== undefined
      setAt = now
    },
  }
}
