import type { RpcError } from '@wayleave/jsonrpc-core'

/** The times at which one node is asked for its head. All times in ms, on one monotonic clock. */
export interface PollTiming {
  /** Why the node counts as silent: a code, or what came instead of a head. Undefined while it answers. */
  readonly silence: string | undefined
  /** The time of its last word. */
  readonly saidAt: number
  /** The time at which it told another head than before. */
  readonly movedAt: number
  heard(isMove: boolean, isPush: boolean, now: number): void
  failed(why: RpcError, now: number): void
  /** Notes that pushes may be missing. */
  missed(): void
  /** The time of the next poll. `askedAt`: the last one; `pollMs`: the chain's pace; `isPushed`: a subscription is open. */
  nextAt(askedAt: number, pollMs: number, isPushed: boolean, now: number): number
}

/** The shortest time from question to question, in ms. */
export const soonestPollMs = 250

/** A single failure is no silence; a timeout counts as two. */
const silentAfter = 2
const slowestRetryMs = 2_000
/** A node that has been silent for so long is asked more rarely. */
const longOutageMs = 60_000
const outageRetryMs = 10_000
const longestRetryAfterMs = 60_000
/** Polls that pushes replace, before they count as stopped; and the least time for that. */
const watchdogPolls = 3
const soonestWatchdogMs = 1_000

export function createPollTiming(): PollTiming {
  const never = Number.NEGATIVE_INFINITY
  let saidAt = never
  let movedAt = never
  let pushedAt = never
  let failedAt = never
  let failingSince = never
  let failures = 0
  let retryAfterMs = 0
  let silence: string | undefined
  /** Answers since the last new head. */
  let idle = 0

  return {
    get silence() {
      return silence
    },
    get saidAt() {
      return saidAt
    },
    get movedAt() {
      return movedAt
    },
    heard(isMove, isPush, now) {
      saidAt = now
      if (isPush) pushedAt = now
      failures = retryAfterMs = 0
      silence = undefined
      idle = isMove ? 0 : idle + 1
      if (isMove) movedAt = now
    },
    failed(why, now) {
      failedAt = now
      if (failures === 0) failingSince = now
      failures += why.code === 'timeout' ? silentAfter : 1
      retryAfterMs = Math.min(why.retryAfterMs ?? 0, longestRetryAfterMs)
      if (failures >= silentAfter) silence = why.code === 'rpc' ? why.message : why.code
    },
    missed() {
      pushedAt = never
    },
    nextAt(askedAt, pollMs, isPushed, now) {
      if (failures > 0) {
        const isLong = failedAt - failingSince > longOutageMs
        const retryMs = isLong ? outageRetryMs : Math.min(soonestPollMs * 2 ** (failures - 1), slowestRetryMs)
        return failedAt + Math.max(retryMs, retryAfterMs)
      }
      const quietMs = Math.max(watchdogPolls * pollMs, soonestWatchdogMs)
      if (isPushed && now - pushedAt < quietMs) return saidAt + quietMs
      // The next block is expected one interval after the last; if it is late, it is asked for more and more rarely.
      if (idle === 0) return Math.max(movedAt + (pollMs * 7) / 8, askedAt + pollMs / 4)
      return askedAt + Math.min((pollMs / 4) * 2 ** Math.min(idle - 1, 2), pollMs)
    },
  }
}
