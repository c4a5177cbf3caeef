import type { Clock } from '@wayleave/jsonrpc-core'
import type { SpendLedger } from '@wayleave/upstream'
import type { Channel } from './channel.ts'

type Period = Parameters<SpendLedger['left']>[0]

/** Units of a plan that a worker spent since its last word. */
export interface SpendMessage {
  readonly plan: string
  readonly units: number
  /** Ms since the Unix epoch. */
  readonly date: number
}

/** Units that all have spent of a plan in the day and the month of a date. */
export interface SpendTotals {
  readonly day: number
  readonly month: number
  readonly date: number
}

/** The units of providers' plans that all workers spend, kept in the primary. */
export interface Spends {
  /** The count of a plan as the primary itself uses it. */
  spend(plan: string): SpendLedger
  serve(channel: Channel): void
}

const dayMs = 86_400_000
/** Time between two words of a worker to the primary while it spends, in ms. */
const tellEveryMs = 100

/** Counts units by day and month, UTC. A date before the last one is the last one. */
interface Count {
  add(units: number, date: number): void
  set(totals: SpendTotals): void
  of(period: Period, date: number): number
  totals(): SpendTotals
}

function createCount(): Count {
  let last = 0
  let day = 0
  let month = 0

  function moveOn(date: number): void {
    if (date <= last) return
    if (Math.floor(date / dayMs) > Math.floor(last / dayMs)) {
      day = 0
      if (monthOf(date) !== monthOf(last)) month = 0
    }
    last = date
  }

  return {
    add(units, date) {
      moveOn(date)
      day += units
      month += units
    },
    set(totals) {
      ;({ day, month } = totals)
      last = totals.date
    },
    of(period, date) {
      moveOn(date)
      return period === 'day' ? day : month
    },
    totals: () => ({ day, month, date: last }),
  }
}

function monthOf(date: number): string {
  // oxlint-disable-next-line no-restricted-globals -- reads no clock
  return new Date(date).toISOString().slice(0, 7)
}

/** Counts what all workers spend. `processes`: those that share each plan. */
export function createSpends({ processes }: { readonly processes: () => number }): Spends {
  const counts = new Map<string, Count>()

  function countOf(plan: string): Count {
    let count = counts.get(plan)
    if (count === undefined) counts.set(plan, (count = createCount()))
    return count
  }

  return {
    spend(plan) {
      const count = countOf(plan)
      return {
        add: (units, date) => count.add(units, date),
        share: () => 1 / processes(),
        left: (period, limit, date) => Math.max(0, limit - count.of(period, date)) / processes(),
      }
    },
    serve(channel) {
      channel.serve('spend.add', (body) => {
        const { plan, units, date } = body as SpendMessage
        const count = countOf(plan)
        count.add(units, date)
        return count.totals()
      })
    },
  }
}

export interface WorkerSpendsOptions {
  readonly processes: () => number
  readonly clock: Clock
}

/** Creates the counts of a worker. It tells what it spends ten times a second, and may meanwhile spend its share of what is left. */
export function createWorkerSpends(
  channel: Pick<Channel, 'ask'>,
  { processes, clock }: WorkerSpendsOptions,
): { spend(plan: string): SpendLedger } {
  const ledgers = new Map<string, SpendLedger>()

  function open(plan: string): SpendLedger {
    const known = createCount()
    /** Units that the primary does not know of. */
    let untold = 0
    let lastDate = 0
    let isTelling = false
    let isFirst = true

    function tellSoon(): void {
      if (isTelling) return
      isTelling = true
      clock.after(tellEveryMs, () => void exchange())
    }

    async function exchange(): Promise<void> {
      const units = untold
      isTelling = true
      try {
        const message: SpendMessage = { plan, units, date: lastDate }
        const totals = (await channel.ask('spend.add', message)) as SpendTotals
        untold -= units
        known.set(totals)
        isFirst = false
      } catch {
        // The channel is gone, and this worker with it.
      }
      isTelling = false
      if (untold > 0) tellSoon()
    }

    /** Asks for what all have spent, once and then every second while it is of interest. */
    let askedAt = Number.NEGATIVE_INFINITY
    function look(date: number): void {
      lastDate = Math.max(lastDate, date)
      if (isTelling || clock.now() - askedAt < lookEveryMs) return
      askedAt = clock.now()
      void exchange()
    }

    return {
      add(units, date) {
        lastDate = Math.max(lastDate, date)
        untold += units
        tellSoon()
      },
      share: () => 1 / processes(),
      left(period, limit, date) {
        look(date)
        if (isFirst) return Math.max(0, limit) / processes() - untold
        return Math.max(0, limit - known.of(period, date)) / processes() - untold
      },
    }
  }

  return {
    spend(plan) {
      let ledger = ledgers.get(plan)
      if (ledger === undefined) ledgers.set(plan, (ledger = open(plan)))
      return ledger
    },
  }
}

/** Time between two looks at what others have spent, in ms. */
const lookEveryMs = 100
