import type { Clock } from '@wayleave/jsonrpc-core'
import type { FilterStore, StoredFilter } from './filter-store.ts'

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
  /**
   * Counts a filter, or notes when it expires where it counts already; false where its project has no room for it, also without those that
   * ended at another process. `isKept`: it is in the store.
   */
  admit(filter: CountedFilter, isKept: boolean): Promise<boolean>
  leave(id: string): void
}

interface Counted extends Pick<StoredFilter, 'project' | 'expiresAt'> {
  readonly amount: number
  /** Whether it is in the store, until it ends. */
  readonly isKept: boolean
}

/** Filters of a project that are looked for in the store at a time. */
const mostLooked = 64
/** Time after a look that found all of them until the next one, in ms. */
const lookEveryMs = 250

/** `known`: filters that count from the start, as far as there is room. */
export function createFilterQuota(
  clock: Clock,
  share: FilterShare,
  store: Pick<FilterStore, 'get'>,
  known: readonly StoredFilter[],
): FilterQuota {
  /** By id; the one used last at the end. */
  const counted = new Map<string, Counted>()
  /** The looks of projects without room, under way or in vain. */
  const looks = new Map<string | undefined, Promise<boolean>>()

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

  /**
   * Makes room for a project: drops its expired filters, else looks in the store for some of the others, in turn. Filters that ended elsewhere
   * count no longer. False where none had ended.
   */
  async function leaveEnded(project: string | undefined): Promise<boolean> {
    const own = [...counted].filter(([, one]) => one.project === project)
    const isOver = ({ expiresAt }: Pick<CountedFilter, 'expiresAt'>): boolean => expiresAt <= clock.date()
    const expired = own.filter(([, one]) => isOver(one))
    for (const [id] of expired) leave(id)
    if (expired.length > 0) return true
    const looked = own.flatMap(([id, { isKept }]) => (isKept ? [id] : [])).slice(0, mostLooked)
    const found = await Promise.all(looked.map((id) => store.get(id)))
    const ended = looked.filter((_, i) => found[i] === undefined || isOver(found[i]))
    for (const id of ended) leave(id)
    // The others are looked for last the next time.
    for (const filter of found) if (filter !== undefined && counted.has(filter.id)) count(filter, true)
    return ended.length > 0
  }

  function look(project: string | undefined): Promise<boolean> {
    let own = looks.get(project)
    if (own === undefined) {
      own = leaveEnded(project).catch(() => false)
      looks.set(project, own)
      void own.then((hasRoom) => {
        if (hasRoom) looks.delete(project)
        else clock.after(lookEveryMs, () => looks.delete(project))
      })
    }
    return own
  }

  function count(filter: CountedFilter, isKept: boolean): boolean {
    const { id, project, expiresAt } = filter
    let amount = counted.get(id)?.amount
    if (amount === undefined) {
      leaveExpired()
      amount = amountOf(filter)
      if (!share.take(project, amount)) return false
    }
    counted.delete(id)
    counted.set(id, { project, expiresAt, amount, isKept })
    return true
  }

  for (const filter of known) count(filter, true)
  return {
    admit: async (filter, isKept) => count(filter, isKept) || ((await look(filter.project)) && count(filter, isKept)),
    leave,
  }
}

/** The room that a filter takes of its project's: one for each KiB. */
function amountOf({ criteria }: CountedFilter): number {
  return Math.ceil(JSON.stringify(criteria).length / 1_024)
}
