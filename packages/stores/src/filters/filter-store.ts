import { StoresError } from '../error.ts'

/** A filter of `eth_newFilter` and its like, in the shape of `@wayleave/evm-events`. */
export interface StoredFilter {
  readonly id: string
  /** The project that may use it; undefined: the host itself. */
  readonly project: string | undefined
  readonly kind: 'logs' | 'blocks' | 'pending'
  /** Any JSON value. It stays as it was at revision 0. */
  readonly criteria: unknown
  /** The last block that was told. */
  readonly cursor: { readonly number: number; readonly hash: string }
  readonly pendingCursor?: string | undefined
  /** Unix time in ms from which it may be dropped. */
  readonly expiresAt: number
  /** Counts its changes, from 0. */
  readonly revision: number
}

/** The filters of one network. */
export interface FilterStore {
  /** Gives an expired one, too, while it is there. @throws StoresError `corrupt` for one that is not what was written */
  get(id: string): Promise<StoredFilter | undefined>
  /**
   * Keeps a filter if the stored one is of the revision before it, or if there is none for revision 0; tells whether it did. `most`: one of
   * revision 0 is kept only while its project has fewer in this network; expired ones count until they are removed.
   */
  put(filter: StoredFilter, most?: number): Promise<boolean>
  /** Tells whether there was one. */
  remove(id: string): Promise<boolean>
  /** Lists those that have not expired at `now`, Unix time in ms, or the `limit` that expire last; the next to expire first. Corrupt ones are left out. */
  list(now: number, limit: number): Promise<readonly StoredFilter[]>
}

/** The filters of all networks in a database. */
export interface FilterTable {
  get(network: string, id: string): ReturnType<FilterStore['get']>
  put(network: string, filter: StoredFilter, most?: number): ReturnType<FilterStore['put']>
  remove(network: string, id: string): ReturnType<FilterStore['remove']>
  list(network: string, now: number, limit: number): ReturnType<FilterStore['list']>
  /** Removes those that have expired at `now`, a hundred in a transaction. */
  prune(now: number): Promise<void>
}

export function corruptFilter(id: string): StoresError {
  return new StoresError('corrupt', `the filter ${id} is not what was written`)
}
