import type { Clock, RpcErrorObject } from '@wayleave/jsonrpc-core'

/** The largest batch that an upstream takes, as learnt from its answers. */
export interface BatchLimits {
  /** Most calls of a batch; 1: none is sent. */
  readonly calls: number
  /** Most bytes of a batch. */
  readonly bytes: number
  /** Notes that a batch leaves: while it is the one that tries again, no other one leaves. */
  sent(): void
  /** Notes how many calls of a batch were answered: at least one. */
  answered(count: number, calls: number): void
  /** Notes that a batch was refused, by an error, by a status, or by something that is no answer to one. */
  refused(calls: number, bytes: number, error: RpcErrorObject | undefined, status?: number): void
  /** Notes that a batch failed as single calls may not. */
  failed(): void
}

/** Most calls of a batch of an upstream that has no limit of its own. Geth takes 1,000; providers mostly 100. */
const usualCalls = 100
const usualBytes = 262_144
/** Time after which a limit that was learnt is tried again, in ms: an upstream may have been replaced. */
const learntForMs = 600_000
/** After so many failures in a row no batch is sent for a while. */
const mostFailures = 3
/** The first and the longest while, in ms: it doubles with each batch that tries again in vain. */
const firstPauseMs = 30_000
const longestPauseMs = 600_000
const aboutSize = /large|many|more than|limit|exceed|max|size|long|big/i
const tooLongStatus = 413

/** Learns what an upstream takes in one batch from its refusals. `max`: a limit that is configured; undefined: 100. */
export function createBatchLimits(clock: Pick<Clock, 'now'>, max: number | undefined): BatchLimits {
  const most = max ?? usualCalls
  let learntCalls = most
  let learntBytes = usualBytes
  let learntAt = Number.NEGATIVE_INFINITY
  let failures = 0
  let pauseMs = 0
  let pausedUntil = Number.NEGATIVE_INFINITY

  function learn(calls: number, bytes: number): void {
    learntCalls = Math.max(1, Math.min(learntCalls, calls))
    learntBytes = Math.min(learntBytes, bytes)
    learntAt = clock.now()
    failures = 0
  }

  function pause(): void {
    pauseMs = pauseMs === 0 ? firstPauseMs : Math.min(pauseMs * 2, longestPauseMs)
    pausedUntil = clock.now() + pauseMs
  }

  function forgetOld(): void {
    if (learntAt === Number.NEGATIVE_INFINITY || clock.now() - learntAt < learntForMs) return
    learntCalls = most
    learntBytes = usualBytes
    learntAt = Number.NEGATIVE_INFINITY
  }

  return {
    get calls() {
      forgetOld()
      return clock.now() < pausedUntil ? 1 : learntCalls
    },
    get bytes() {
      return learntBytes
    },
    sent() {
      if (pauseMs > 0) pause()
    },
    answered(count, calls) {
      failures = pauseMs = 0
      pausedUntil = Number.NEGATIVE_INFINITY
      // An upstream may leave out in silence what is beyond its limit.
      if (count < calls / 2) learn(count, usualBytes)
    },
    refused(calls, bytes, error, status) {
      if (status === tooLongStatus) return learn(Math.floor(calls / 2), Math.floor(bytes / 2))
      if (error === undefined || !aboutSize.test(error.message)) return learn(1, usualBytes)
      const reported = Number(/\d+/.exec(error.message)?.[0])
      learn(reported >= 1 && reported < calls ? reported : Math.floor(calls / 2), usualBytes)
    },
    failed() {
      if (pauseMs === 0 && ++failures >= mostFailures) pause()
    },
  }
}
