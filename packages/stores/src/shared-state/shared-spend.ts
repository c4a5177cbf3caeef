import type { Clock } from '@wayleave/jsonrpc-core'
import { isoTimeOf } from '../defaults.ts'
import type { OwnCount, SharedPort } from './shared-port.ts'

/** A plan's day, or month, UTC. */
export type SpendPeriod = 'day' | 'month'

/**
 * The units of a provider's plan that several processes spend. Answers from a copy in this process, and exchanges it ten times a second at most:
 * a limit may be passed by half of what is spent in between. While others cannot be reached the last share holds. Fits `SpendLedger` of `upstream`.
 */
export interface SharedSpend {
  /** Counts units that were sent at `date`, in ms since the epoch. */
  add(units: number, date: number): void
  /**
   * This process' part of the plan: 1 divided by the processes that spend it, and while they cannot be reached by the least number of them if
   * that is more; 0 before their first answer.
   */
  share(): number
  /** Units of a limit that this process may still spend in the period of `date`: its share of what all have left. */
  left(period: SpendPeriod, limit: number, date: number): number
}

const periods = ['day', 'month'] as const
const exchangeEveryMs = 100
/** Time for which a smaller number of processes waits, in ms. */
const fewerAfterMs = 5_000
/** Characters of an ISO date that name a period. */
const nameLength = { day: 10, month: 7 }
/** Units of a period are kept a little longer than it. */
const keepMs = { day: 2 * 86_400_000, month: 33 * 86_400_000 }

type Count = { -readonly [member in keyof OwnCount]: OwnCount[member] }

/** Opens the count of a plan. */
export function createSharedSpend(port: SharedPort, plan: string, clock: Clock): SharedSpend {
  const counts: Record<SpendPeriod, Count> = { day: startOf('day', ''), month: startOf('month', '') }
  let today = Number.NaN
  let processes = 1
  let fewerSince: number | undefined
  let isFirst = port.apart() === undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let isWaking = false
  let isAsking = false

  /** Begins what the date of a call begins; a date that lies before is the last one. */
  function moveOn(date: number): void {
    const day = Math.floor(date / 86_400_000)
    if (day <= today) return
    const isBegin = Number.isNaN(today)
    today = day
    for (const period of periods) {
      const next = startOf(period, isoTimeOf(date).slice(0, nameLength[period]))
      if (counts[period].key !== next.key) counts[period] = next
    }
    if (isBegin && isFirst) void exchange()
  }

  async function exchange(): Promise<void> {
    // The host of the counts tells the date with its first word.
    if (Number.isNaN(today) || isAsking) return
    isAsking = true
    askedAt = clock.now()
    const asked = periods.map((period) => counts[period])
    const said = asked.map((count) => ({ ...count }))
    try {
      const { processes: found, totals } = await port.add(`spend:${plan}`, said)
      counted(found)
      asked.forEach((count, i) => {
        count.said = said[i]!.mine
        count.known = totals[i]!
      })
    } catch {
      // The next exchange carries it.
    }
    isFirst = false
    isAsking = false
    if (asked.some(({ mine, said: known }) => mine !== known)) wake()
  }

  /** Exchanges soon, where that is not done all the time. */
  function wake(): void {
    if (port.every !== undefined || isWaking) return
    isWaking = true
    const waitMs = Math.max(0, askedAt + exchangeEveryMs - clock.now())
    clock.after(waitMs, () => {
      isWaking = false
      void exchange()
    })
  }

  function counted(found: number): void {
    const now = clock.now()
    if (found >= processes) fewerSince = undefined
    else if (now - (fewerSince ??= now) < fewerAfterMs) return
    processes = Math.max(1, found)
    fewerSince = undefined
  }

  const share = (): number => (isFirst ? 0 : 1 / Math.max(processes, port.apart() ?? 1))
  port.every?.(exchangeEveryMs, exchange)
  return {
    add(units, date) {
      moveOn(date)
      for (const period of periods) counts[period].mine += units
      wake()
    },
    share,
    left(period, limit, date) {
      moveOn(date)
      wake()
      const { known, mine, said } = counts[period]
      return Math.max(0, limit - known.total) * share() - (mine - said)
    },
  }
}

function startOf(period: SpendPeriod, name: string): Count {
  return { key: `${period}:${name}`, mine: 0, said: 0, known: { total: 0, epoch: '' }, forMs: keepMs[period] }
}
