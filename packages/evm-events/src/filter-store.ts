import type { Clock } from '@wayleave/jsonrpc-core'
import type { BlockPosition } from './chain-source.ts'

/** A filter of `eth_newFilter` and its like: a place in the chain, never a buffer. It can be stored as JSON. */
export interface StoredFilter {
  readonly id: string
  /** The owner; undefined: the host itself. Others do not find the filter. */
  readonly project: string | undefined
  readonly kind: 'logs' | 'blocks' | 'pending'
  /** The filter as its caller gave it; of a filter of pending transactions: whether they are wanted whole. */
  readonly criteria: unknown
  /** The last block that was told. */
  readonly cursor: BlockPosition
  /** The place in the pending transactions that was told last. */
  readonly pendingCursor?: string | undefined
  /** Wall-clock time in ms at which it is forgotten unless it is used. */
  readonly expiresAt: number
  /** Counts the changes of this filter, from 0. */
  readonly revision: number
}

/** Keeps filters. With one that several processes share, they outlive a restart and are found by all. */
export interface FilterStore {
  get(id: string): Promise<StoredFilter | undefined>
  /**
   * Keeps a filter if the stored one is of the revision before it, or if there is none for revision 0; else gives false, as somebody
   * else has told changes of it. It may be dropped from `expiresAt` on. `most`: one of revision 0 is kept only while its project has fewer.
   */
  put(filter: StoredFilter, most?: number): Promise<boolean>
  /** Tells whether there was one. */
  remove(id: string): Promise<boolean>
}

/** Keeps filters in memory. The quota of the projects bounds them; expired ones are dropped when others are put. */
export function createMemoryFilterStore(clock: Clock): FilterStore {
  /** The one that was put last at the end. */
  const filters = new Map<string, StoredFilter>()
  const counts = new Map<string | undefined, number>()

  function count(project: string | undefined, change: 1 | -1): void {
    const now = (counts.get(project) ?? 0) + change
    if (now === 0) counts.delete(project)
    else counts.set(project, now)
  }

  function remove(id: string): boolean {
    const filter = filters.get(id)
    if (filter !== undefined) count(filter.project, -1)
    return filters.delete(id)
  }

  return {
    async get(id) {
      return filters.get(id)
    },
    async put(filter, most = Number.POSITIVE_INFINITY) {
      for (const [id, { expiresAt }] of filters) {
        if (expiresAt > clock.date()) break
        remove(id)
      }
      const { id, project, revision } = filter
      if ((filters.get(id)?.revision ?? -1) !== revision - 1) return false
      if (revision === 0 && (counts.get(project) ?? 0) >= most) return false
      remove(id)
      filters.set(id, filter)
      count(project, 1)
      return true
    },
    remove: async (id) => remove(id),
  }
}
