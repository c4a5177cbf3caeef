import type { Clock } from '@wayleave/jsonrpc-core'
import { createMethodTable } from './method-table.ts'

/** The limits of a provider's plan, in its own units. */
export interface SpendOptions {
  readonly clock: Clock
  /** Most units in any second. */
  readonly perSecond?: number | undefined
  /** Most units in a day, from midnight UTC. */
  readonly perDay?: number | undefined
  /** Most units in a calendar month, UTC. */
  readonly perMonth?: number | undefined
  /** Units of a call by method: names, or prefixes such as `debug_*`; `*` for all others. Default: 1 each. */
  readonly prices?: Readonly<Record<string, number>> | undefined
  /** Counts that an earlier process has kept. */
  readonly spent?: SpentUnits | undefined
  /** The count of all processes that share the plan. Default: this one is alone. */
  readonly ledger?: SpendLedger | undefined
}

/** The units of a plan that several processes spend, as far as this one knows. */
export interface SpendLedger {
  /** Counts units that were sent at `date`, in ms since the epoch. */
  add(units: number, date: number): void
  /** This process' part of the plan, from 0 to 1. */
  share(): number
  /** Units of a limit that this process may still spend in the day or month of `date`. */
  left(period: 'day' | 'month', limit: number, date: number): number
}

/** Units spent in the day and the month of `date`. */
export interface SpentUnits {
  readonly day: number
  readonly month: number
  /** Ms since the Unix epoch. */
  readonly date: number
}

/** Counts the units that calls to one provider cost, so that calls stop before its own refusal. */
export interface Spend {
  /** Units that a call costs. */
  priceOf(method: string): number
  /** Counts a call that is sent at `now`, in ms on the monotonic scale of the clock. */
  begin(method: string, now: number): void
  /** Whether the day's or the month's units are spent. */
  isSpent(now: number): boolean
  /** Whether a further call stays within the units of a second, and of the day and the month. */
  affords(method: string, now: number): boolean
  /** Units that this process has spent so far. */
  spent(now: number): SpentUnits
}

/** A second is counted in so many slices, and one more, so that no second holds more than the limit. */
const slices = 11
const sliceMs = 100
/** The calendar is read again after so long, in ms: the clock of the machine may have been set. */
const calendarMs = 10_000
const dayMs = 86_400_000
const unlimited = Number.POSITIVE_INFINITY

/** Creates a count. @throws RangeError where a limit or a price is not a number from 0 up */
export function createSpend(options: SpendOptions): Spend {
  const { clock, prices = {}, spent, ledger } = options
  const perSecond = checked('budget.perSecond', options.perSecond ?? unlimited)
  const perDay = checked('budget.perDay', options.perDay ?? unlimited)
  const perMonth = checked('budget.perMonth', options.perMonth ?? unlimited)
  for (const [method, price] of Object.entries(prices)) checked(`budget.prices['${method}']`, price)
  const table = createMethodTable(prices)
  const priceOf = (method: string): number => table(method) ?? 1

  /** The units of the cheapest call; less than that is as good as nothing. */
  const least = Math.min(...[1, ...Object.values(prices)].filter((price) => price > 0))
  const second = new Float64Array(slices)
  let slice = 0
  let inSecond = 0
  let date = spent?.date ?? clock.date()
  let day = spent?.day ?? 0
  let month = spent?.month ?? 0
  let readAt = Number.NEGATIVE_INFINITY
  ledger?.add(day, date)

  /** Forgets what was spent in a day, a month or a second that is over. */
  function moveOn(now: number): void {
    if (now - readAt >= calendarMs) {
      const today = clock.date()
      // A clock that was set back does not give units twice.
      if (Math.floor(today / dayMs) > Math.floor(date / dayMs)) {
        day = 0
        if (monthOf(today) !== monthOf(date)) month = 0
      }
      date = Math.max(date, today)
      readAt = now
    }
    const current = Math.floor(now / sliceMs)
    if (perSecond === unlimited || current <= slice) return
    if (current - slice >= slices) {
      second.fill(0)
      inSecond = 0
    } else {
      for (let i = slice + 1; i <= current; i++) {
        inSecond -= second[i % slices]!
        second[i % slices] = 0
      }
    }
    slice = current
  }

  /** Whether so many units are left of the day and the month. */
  function has(units: number): boolean {
    if (day + units > perDay || month + units > perMonth) return false
    if (ledger === undefined) return true
    const left = (period: 'day' | 'month', limit: number): boolean =>
      limit === unlimited || units <= ledger.left(period, limit, date)
    return left('day', perDay) && left('month', perMonth)
  }

  return {
    priceOf,
    begin(method, now) {
      moveOn(now)
      const units = priceOf(method)
      day += units
      month += units
      ledger?.add(units, date)
      if (perSecond === unlimited) return
      inSecond += units
      second[slice % slices]! += units
    },
    isSpent(now) {
      moveOn(now)
      return day >= perDay || month >= perMonth || (ledger !== undefined && !has(least))
    },
    affords(method, now) {
      moveOn(now)
      const units = priceOf(method)
      const share = ledger?.share() ?? 1
      if (share === 0 || !has(units)) return false
      // A call dearer than a whole second's units passes when nothing else does.
      return perSecond === unlimited || inSecond + units <= perSecond * share || inSecond === 0
    },
    spent(now) {
      moveOn(now)
      return { day, month, date }
    },
  }
}

function checked(name: string, value: number): number {
  if (value >= 0) return value
  throw new RangeError(`${name} must be a number from 0 up, but is ${value}`)
}

/** Returns the number of a month since year 0, UTC (after H. Hinnant, "chrono-compatible low-level date algorithms"). */
function monthOf(date: number): number {
  const days = Math.floor(date / dayMs) + 719_468
  const era = Math.floor(days / 146_097)
  const ofEra = days - era * 146_097
  const year = Math.floor(
    (ofEra - Math.floor(ofEra / 1_460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  )
  const ofYear = ofEra - (365 * year + Math.floor(year / 4) - Math.floor(year / 100))
  // March is the first month of these years.
  return (era * 400 + year) * 12 + Math.floor((5 * ofYear + 2) / 153)
}
