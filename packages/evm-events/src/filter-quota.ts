import type { Clock } from '@wayleave/jsonrpc-core'
import type { StoredFilter } from './filter-store.ts'

/** The room of all projects. */
export interface FilterShare {
  /** False where there is no room. */
  take(project: string | undefined, amount: number): boolean
  give(project: string | undefined, amount: number): void
}

/** The parts of a filter that count. */
export type CountedFilter = Pick<StoredFilter, 'id' | 'project' | 'criteria' | 'expiresAt'>

/** Counts the filters that are used at this process for their projects, until they expire. */
export interface FilterQuota {
  /** Counts a filter, or notes when it expires where it counts already; false where its project has no room for it. */
  admit(filter: CountedFilter): boolean
  leave(id: string): void
}

interface Counted extends Pick<StoredFilter, 'project' | 'expiresAt'> {
  readonly amount: number
}

/** `known`: filters that count from the start, as far as there is room. */
export function createFilterQuota(clock: Clock, share: FilterShare, known: readonly StoredFilter[]): FilterQuota {
  /** By id; the one used last at the end. */
  const counted = new Map<string, Counted>()

  function leave(id: string): void {
    const filter = counted.get(id)
    if (filter === undefined) return
    counted.delete(id)
    share.give(filter.project, filter.amount)
  }

  function leaveExpired(): void {
    for (const [id, { expiresAt }] of counted) {
      if (expiresAt > clock.date()) return
      leave(id)
    }
  }

  function admit(filter: CountedFilter): boolean {
    const { id, project, expiresAt } = filter
    let amount = counted.get(id)?.amount
    if (amount === undefined) {
      leaveExpired()
      amount = amountOf(filter)
      if (!share.take(project, amount)) return false
    }
    counted.delete(id)
    counted.set(id, { project, expiresAt, amount })
    return true
  }

  for (const filter of known) admit(filter)
  return { admit, leave }
}

/** The room that a filter takes of its project's: one for each KiB. */
function amountOf({ criteria }: CountedFilter): number {
  return Math.ceil(JSON.stringify(criteria).length / 1_024)
}
