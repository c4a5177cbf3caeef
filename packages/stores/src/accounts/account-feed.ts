import type { StoredKey, StoredPlan, StoredProject } from './account.ts'

/** One committed change. `record` is undefined where it was removed; with a project all of its keys go. */
export type AccountChange =
  | { readonly seq: number; readonly kind: 'plan'; readonly id: string; readonly record: StoredPlan | undefined }
  | { readonly seq: number; readonly kind: 'project'; readonly id: string; readonly record: StoredProject | undefined }
  | { readonly seq: number; readonly kind: 'key'; readonly id: string; readonly record: StoredKey | undefined }

/** All accounts, as they were after the change `seq`. */
export interface AccountSnapshot {
  readonly seq: number
  readonly plans: readonly StoredPlan[]
  readonly projects: readonly StoredProject[]
  readonly keys: readonly StoredKey[]
}

/** All accounts, and what changes of them. */
export interface AccountFeed {
  snapshot(): Promise<AccountSnapshot>
  /**
   * Gives at most `limit` changes after the change `after`, in order and without gaps. Undefined: the feed does not reach back so far (it
   * keeps 10,000), or never came so far; take a snapshot.
   */
  changes(after: number, limit: number): Promise<readonly AccountChange[] | undefined>
}
