import type { Clock } from '@wayleave/jsonrpc-core'
import type { LimitAuthority } from './authority.ts'
import { MeteringError } from './error.ts'

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
  lease(
    bucket: { readonly id: string; readonly perSecond: number; readonly burst: number },
    onAnswer?: () => void,
  ): Lease
  /** Whether this process is the first of all to ask for `id`. Where the authority is gone, each is the first. */
  once(id: string): Promise<boolean>
  /** Whether the last question was answered. */
  readonly isHeard: boolean
  /** Tells the authority what is owed, at most for `timeoutMs`, and stops. */
  close(): Promise<void>
}

/**
 * One process' part in a shared bucket. It decides synchronously: on its share of what the authority last told was left, and of what
 * flows in since. What it spent it owes, and settles in the background. While the authority is silent the share alone remains.
 */
export interface Lease {
  /** Milliseconds until a call is admitted; 0: now; infinite where nothing flows in. `now` is the clock's. */
  wait(price: number, now: number): number
  /** Debits credits, or gives back. */
  debit(credits: number, now: number): void
  /** Credits that are left for all processes, as far as is known; not below 0. */
  remaining(): number
  /** Credits that were spent here and not yet debited by the authority; below 0 for credits to give back. */
  readonly owed: number
  /** Whether it holds nothing that a fresh one would not. */
  isIdle(now: number): boolean
}

/** A question is asked at once when the lease runs low, at most so often, in ms. */
const lowMs = 5
/** Longest time until debts are settled, in ms. */
const settleMs = 100
const longestBackoffMs = 1_000

const isShare = (share: number): boolean => share > 0 && share <= 1

interface Question {
  readonly want: number
  readonly token: string
}

interface LeaseState extends Lease {
  ask(): void
  readonly isSettled: boolean
}

/** Creates the leases of one process. @throws MeteringError `invalid_plan` for a share that is not above 0 and at most 1 */
export function createLeases(options: LeasesOptions): Leases {
  const { clock, authority, process, timeoutMs = 1_000, onState } = options
  const unsettled = new Set<LeaseState>()
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

  function settleSoon(unpaid: LeaseState): void {
    unsettled.add(unpaid)
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

  function lease(
    bucket: { readonly id: string; readonly perSecond: number; readonly burst: number },
    onAnswer?: () => void,
  ): Lease {
    const { id, perSecond, burst } = bucket
    let share = shareOf()
    let cap = burst * share
    /** Credits that may be spent. */
    let level = cap
    let levelAt = clock.now()
    let told = burst
    let owed = 0
    /** Spent since the open question was put. */
    let since = 0
    let question: Question | undefined
    let isAsking = false
    let askedAt = Number.NEGATIVE_INFINITY

    function flow(now: number): void {
      if (perSecond > 0 && now > levelAt) level = Math.min(cap, level + (perSecond * share * (now - levelAt)) / 1_000)
      levelAt = now
    }

    /** Takes the answer to a question. Credits that were spent before it and are not wanted are covered by what flowed in. */
    function settle({ want }: Question, granted: number, remaining: number): void {
      flow(clock.now())
      const missing = cap - level
      share = shareOf()
      cap = burst * share
      told = remaining
      owed = Math.min(0, owed - since) + Math.max(0, want - granted) + since
      // After a silence, what flowed in meanwhile has paid for most of it.
      if (perSecond > 0) owed = Math.min(owed, Math.max(0, missing))
      // Nothing will ever flow in that could settle the rest.
      else if (remaining === 0) owed = Math.min(owed, 0)
      level = Math.min(cap, remaining * share) - owed
      question = undefined
      onAnswer?.()
    }

    function ask(): void {
      const now = clock.now()
      if (isAsking || closed || now < notBefore) return
      askedAt = now
      flow(now)
      // A bucket that was full meanwhile lost what flowed in, and so much needs no settling.
      if (question === undefined) {
        const want = Math.ceil(perSecond > 0 ? Math.min(owed, cap - level) : owed)
        question = { want: Math.max(0, want), token: `${process}:${++tokens}` }
        since = 0
      }
      const asks = question
      let answer
      try {
        answer = authority.take(id, perSecond, burst, asks.want, asks.token)
      } catch (why) {
        failed(why)
        return
      }
      if (!(answer instanceof Promise)) {
        answered()
        settle(asks, answer.granted, answer.remaining)
        return
      }
      isAsking = true
      const done = new Promise<void>((resolve) => {
        const end = (): void => {
          isAsking = false
          stop()
          asked.delete(done)
          resolve()
        }
        let over = false
        const stop = clock.after(timeoutMs, () => {
          over = true
          failed(new Error(`the authority of limits gave no answer in ${timeoutMs} ms`))
          end()
        })
        answer.then(
          (grant) => {
            if (over) return
            answered()
            settle(asks, grant.granted, grant.remaining)
            end()
          },
          (why: unknown) => {
            if (over) return
            failed(why)
            end()
          },
        )
      })
      asked.add(done)
    }

    const self: LeaseState = {
      ask,
      get isSettled() {
        return owed <= 0 && question === undefined
      },
      get owed() {
        return owed
      },
      isIdle(now) {
        flow(now)
        return owed <= 0 && question === undefined && level >= cap
      },
      wait(price, now) {
        flow(now)
        if (cap === 0) return Number.POSITIVE_INFINITY
        const needed = Math.min(price, cap)
        if (level >= needed) return 0
        if (now - askedAt >= lowMs) {
          ask()
          if (level >= needed) return 0
        }
        return perSecond === 0
          ? Number.POSITIVE_INFINITY
          : Math.max(1, ((needed - level) * 1_000) / (perSecond * share))
      },
      debit(credits, now) {
        flow(now)
        level -= credits
        owed += credits
        since += credits
        const age = levelAt - askedAt
        if (age >= settleMs || (owed > level && age >= lowMs)) ask()
        if (owed > 0) settleSoon(self)
      },
      remaining: () => Math.max(0, Math.floor(Math.min(burst, told) - owed)),
    }
    return self
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

  async function settleNow(leases: readonly LeaseState[]): Promise<void> {
    notBefore = Number.NEGATIVE_INFINITY
    for (const each of leases) if (!each.isSettled) each.ask()
    await Promise.all(asked)
  }

  return {
    lease,
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
