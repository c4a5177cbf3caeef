import type { Clock } from '@wayleave/jsonrpc-core'
import type { LimitAuthority } from './authority.ts'
import { createBucketLease, settleMs } from './bucket-lease.ts'
import { MeteringError } from './error.ts'
import type { BucketLease, Lease, LeasedBucket, LeaseHost } from './lease-host.ts'

export interface LeasesOptions {
  readonly clock: Clock
  readonly authority: LimitAuthority
  /** Names this process in tokens: unique among all that ask the authority, and new with each start. */
  readonly process: string
  /**
   * Returns the share of each limit that this process may use unasked, above 0 and at most 1: 1 divided by the processes. It is read at
   * each answer; where it is out of its bounds, the last one stays.
   */
  readonly share: () => number
  /** Longest wait for an answer, in ms. Default 1,000. */
  readonly timeoutMs?: number
  /** Called when the authority stops answering, with its error, and when it answers again. */
  readonly onState?: ((state: 'gone' | 'back', why?: unknown) => void) | undefined
}

/** Leases of the buckets of an authority. */
export interface Leases {
  /** Makes the lease of a bucket. Whoever makes one keeps it: a bucket has one lease in a process. */
  lease(bucket: LeasedBucket, onAnswer?: () => void): Lease
  /** Whether this process is the first of all to ask for `id`. Where the authority is gone, each is the first. */
  once(id: string): Promise<boolean>
  /** Whether the last question was answered. */
  readonly isHeard: boolean
  /** Tells the authority what is owed, at most for `timeoutMs`, and stops. */
  close(): Promise<void>
}

const longestBackoffMs = 1_000
/** Most leases that wait to be settled: beyond them, the one that waits longest is left to its next call. */
const mostUnsettled = 10_000

const isShare = (share: number): boolean => share > 0 && share <= 1

/** Creates the leases of one process. @throws MeteringError `invalid_plan` for a share that is not above 0 and at most 1 */
export function createLeases(options: LeasesOptions): Leases {
  const { clock, authority, process, timeoutMs = 1_000, onState } = options
  const unsettled = new Set<BucketLease>()
  const asked = new Set<Promise<void>>()
  let tokens = 0
  let failures = 0
  let notBefore = Number.NEGATIVE_INFINITY
  let stopTimer: (() => void) | undefined
  let isClosing = false
  let closed = false

  let lastShare = options.share()
  if (!isShare(lastShare))
    throw new MeteringError('invalid_plan', `share must be above 0 and at most 1, but is ${lastShare}`)

  function shareOf(): number {
    const share = options.share()
    return isShare(share) ? (lastShare = share) : lastShare
  }

  function failed(why: unknown): void {
    failures++
    notBefore = clock.now() + Math.min(longestBackoffMs, 50 * 2 ** Math.min(failures, 10))
    if (failures === 1) onState?.('gone', why)
  }

  function answered(): void {
    const was = failures
    failures = 0
    notBefore = Number.NEGATIVE_INFINITY
    if (was > 0) onState?.('back')
  }

  function settleSoon(unpaid: BucketLease): void {
    unsettled.add(unpaid)
    if (unsettled.size > mostUnsettled) unsettled.delete(unsettled.values().next().value!)
    if (stopTimer !== undefined || isClosing) return
    stopTimer = clock.after(settleMs, () => {
      stopTimer = undefined
      const waiting = [...unsettled]
      unsettled.clear()
      for (const each of waiting) {
        if (each.isSettled) continue
        each.ask()
        settleSoon(each)
      }
    })
  }

  async function once(id: string): Promise<boolean> {
    let stop = (): void => {}
    const timedOut = new Promise<void>((resolve) => {
      stop = clock.after(timeoutMs, resolve)
    })
    try {
      const grant = await Promise.race([authority.take(id, 0, 1, 1, `${process}:${++tokens}`), timedOut])
      return grant === undefined || grant.granted === 1
    } catch {
      return true
    } finally {
      stop()
    }
  }

  async function settleNow(leases: readonly BucketLease[]): Promise<void> {
    notBefore = Number.NEGATIVE_INFINITY
    for (const each of leases) if (!each.isSettled) each.ask()
    await Promise.all(asked)
  }

  const host: LeaseHost = {
    clock,
    authority,
    timeoutMs,
    asked,
    // While the authority is silent, one question at a time finds out whether it answers again.
    mayAsk: (now) => !closed && now >= notBefore && (failures === 0 || isClosing || asked.size === 0),
    isHeard: () => failures === 0,
    newToken: () => `${process}:${++tokens}`,
    share: shareOf,
    answered,
    failed,
    settleSoon,
  }

  return {
    lease: (bucket, onAnswer) => createBucketLease(bucket, host, onAnswer),
    once,
    get isHeard() {
      return failures === 0
    },
    async close() {
      isClosing = true
      stopTimer?.()
      stopTimer = undefined
      const rest = [...unsettled]
      unsettled.clear()
      await settleNow(rest)
      // A question that was on its way knew nothing of what was spent since.
      if (failures === 0) await settleNow(rest)
      closed = true
    },
  }
}
