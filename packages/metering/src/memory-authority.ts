import type { Clock } from '@wayleave/jsonrpc-core'
import type { KnownSpent, LimitAuthority, LimitGrant } from './authority.ts'
import { createBoundedTable } from './bounded-table.ts'
import { createGcra, type Gcra } from './gcra.ts'
import { debitQuota, type SpentQuota } from './spent-quota.ts'

export interface MemoryAuthorityOptions {
  readonly clock: Clock
  /** Most buckets; beyond them, one that was not asked for lately is forgotten. Default 100,000. */
  readonly maxBuckets?: number
  /** Called when a bucket was forgotten that was in use. Processes that still know it report what was spent. */
  readonly onForgotten?: (() => void) | undefined
}

interface Bucket {
  gcra: Gcra | undefined
  /** Theoretical arrival time in ticks. */
  state: number
  /** The credits of a bucket without inflow. */
  quota: SpentQuota
  usedAt: number
  /** How long it is kept without inflow. */
  keepMs: number
  /** The last answers, by the process that asked. */
  answers: Map<string, { readonly token: string; readonly granted: number }> | undefined
}

const keptMs = 32 * 86_400_000
/** Processes whose last answer is remembered, for each bucket. */
const maxAskers = 64

/** Creates an authority in this process' memory, for the processes that ask it through their host. It answers synchronously. */
export function createMemoryAuthority(options: MemoryAuthorityOptions): LimitAuthority {
  const { clock, maxBuckets = 100_000, onForgotten } = options
  const buckets = createBoundedTable<Bucket>({
    maxKeys: maxBuckets,
    create: () => ({
      gcra: undefined,
      state: 0,
      quota: { epoch: String(clock.date()), reported: 0, owed: 0, least: 0, spent: 0 },
      usedAt: clock.now(),
      keepMs: keptMs,
      answers: undefined,
    }),
    weightOf({ gcra, state, usedAt, keepMs }) {
      const now = clock.now()
      const isOver = gcra === undefined ? now - usedAt > keepMs : gcra.isFull(state, now * 1_000)
      // A repeated question must find its answer, also after the bucket is full again.
      return isOver && now - usedAt >= 60_000 ? 0 : 1 + usedAt
    },
    onForgotten,
  })

  function debit(
    bucket: Bucket,
    perSecond: number,
    burst: number,
    want: number,
    asker: string,
    known?: KnownSpent,
    undivided = 0,
  ): LimitGrant {
    if (perSecond === 0) {
      const grant = debitQuota(bucket.quota, burst, want, asker, known, undivided)
      return known === undefined ? grant : { ...grant, epoch: bucket.quota.epoch }
    }
    const now = clock.now() * 1_000
    if (bucket.gcra === undefined || bucket.gcra.credits !== perSecond || bucket.gcra.burst !== burst) {
      const left = bucket.gcra?.remaining(bucket.state, now)
      bucket.gcra = createGcra({ credits: perSecond, burst })
      bucket.state = left === undefined ? 0 : bucket.gcra.debit(0, Math.max(0, burst - left), now)
    }
    const left = bucket.gcra.remaining(bucket.state, now)
    const granted = Math.max(0, want > left ? Math.min(want - undivided, left) : want)
    if (granted > 0) bucket.state = bucket.gcra.debit(bucket.state, granted, now)
    return { granted, remaining: Math.max(0, left - granted) }
  }

  return {
    take(id, perSecond, burst, want, token, known, undivided, keepMs = keptMs) {
      const bucket = buckets.get(id)
      bucket.usedAt = clock.now()
      bucket.keepMs = keepMs
      const asker = token.slice(0, token.lastIndexOf(':'))
      const before = bucket.answers?.get(asker)
      // Others may have spent since what was left then.
      if (before?.token === token) {
        const epoch = known && bucket.quota.epoch
        return { ...debit(bucket, perSecond, burst, 0, asker), granted: before.granted, epoch }
      }
      const grant = debit(bucket, perSecond, burst, want, asker, known, undivided)
      const answers = (bucket.answers ??= new Map())
      if (answers.size >= maxAskers) answers.delete(answers.keys().next().value!)
      answers.set(asker, { token, granted: grant.granted })
      return grant
    },
  }
}
