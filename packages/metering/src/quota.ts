import type { Clock } from '@wayleave/jsonrpc-core'
import type { Lease } from './lease-host.ts'
import type { Leases } from './lease.ts'
import type { LimitName, Meter } from './meter.ts'
import { type Period, type PeriodKind, periodOf } from './period.ts'
import { defaultMarks, type QuotaRule } from './plan.ts'

/** Tells that a mark of a quota was reached: once for each mark and period, among all processes of an authority. */
export interface QuotaWarning {
  readonly name: LimitName
  /** Whose quota it is: the id of the key or the project. */
  readonly subject: string
  /** Percent of the quota. */
  readonly mark: number
  readonly credits: number
  /** The end of the period, in ms since the Unix epoch. */
  readonly resetsAt: number
  readonly action: 'warn' | 'stop'
}

export interface QuotaOptions {
  readonly name: LimitName
  /** Names the quota without its period. */
  readonly id: string
  readonly subject: string
  readonly rule: QuotaRule
  readonly clock: Clock
  readonly leases: Leases | undefined
  /** How long the authority keeps it after each question, in ms. Default: to a day after its period. */
  readonly keepMs?: number | undefined
  readonly onWarning: ((warning: QuotaWarning) => void) | undefined
}

/** A quota: a meter that is filled anew with each period. */
export interface Quota extends Meter {
  /** Makes at least these credits count as spent, in the period that holds `date`: what is counted already is a part of them. */
  restore(credits: number, date: number): void
}

/** Creates a quota of a day or a month, in this process or on leases. A clock that is set back does not give credits twice. */
export function createQuota({ name, id, subject, rule, clock, leases, keepMs, onWarning }: QuotaOptions): Quota {
  const kind = name.window as PeriodKind
  const { credits, action = 'stop' } = rule
  const marks = (rule.marks ?? defaultMarks).toSorted((a, b) => a - b)
  let period: Period = periodOf(kind, clock.date())
  let used = 0
  let lease = leaseOf(period)
  /** The highest price in this period that was debited here. */
  let dearest = 0
  /** Marks of this period that were reached. */
  let reached = 0
  /** Credits that reach the next mark. */
  let nextMark = markAt(0)

  function leaseOf({ index, end }: Period): Lease | undefined {
    return leases?.lease({ id: `${id}:${index}`, perSecond: 0, burst: credits, end, keepMs }, warn)
  }

  function markAt(i: number): number {
    return onWarning === undefined || i >= marks.length
      ? Number.POSITIVE_INFINITY
      : Math.max(1, (credits * marks[i]!) / 100)
  }

  function turn(date: number): void {
    if (date < period.end) return
    period = periodOf(kind, date)
    used = 0
    dearest = 0
    reached = 0
    nextMark = markAt(0)
    lease = leaseOf(period)
  }

  const spent = (): number => (lease === undefined ? used : credits - lease.remaining())

  function warn(): void {
    reach(spent())
  }

  function reach(total: number): void {
    while (total >= nextMark) {
      const mark = marks[reached++]!
      nextMark = markAt(reached)
      report({ name, subject, mark, credits, resetsAt: period.end, action })
    }
  }

  function report(warning: QuotaWarning): void {
    if (leases === undefined) return onWarning!(warning)
    void leases.once(`${id}:${period.index}:mark:${warning.mark}`).then((isFirst) => isFirst && onWarning!(warning))
  }

  return {
    name,
    credits,
    get seconds() {
      return (period.end - period.start) / 1_000
    },
    wait(price, now, date) {
      turn(date)
      if (action === 'warn') return 0
      if (lease !== undefined) return lease.wait(price, now)
      return used + price <= credits || (used === 0 && credits > 0) ? 0 : Number.POSITIVE_INFINITY
    },
    debit(amount, now, date) {
      turn(date)
      used = Math.max(0, used + amount)
      dearest = Math.max(dearest, amount)
      lease?.debit(amount, now)
      if (used >= nextMark || lease !== undefined) warn()
    },
    mayReserve: (price, now) => lease?.mayReserve(price, now) === true,
    async reserve(price, least, date) {
      turn(date)
      const asked = period
      const debited = await lease!.reserve(price, least)
      if (debited !== undefined && asked === period) {
        used += debited
        dearest = Math.max(dearest, debited)
        warn()
      }
      return debited
    },
    // The quota is spent once the rest is too little for a call of a price that was admitted. A dearer call is refused before that.
    refused(price) {
      if (credits - spent() < Math.min(dearest || price, spent())) reach(credits)
    },
    remaining(_now, date) {
      turn(date)
      return lease === undefined ? Math.max(0, credits - used) : lease.remaining()
    },
    resetMs(_now, date) {
      turn(date)
      return period.end - date
    },
    isIdle(now, date) {
      turn(date)
      return lease === undefined ? used === 0 : lease.isIdle(now)
    },
    restore(amount, date) {
      if (date < period.start || date >= period.end) return
      used = Math.max(used, amount)
      lease?.restore(amount)
    },
  }
}
