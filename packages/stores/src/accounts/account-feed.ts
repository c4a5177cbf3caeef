import type { StoredKey, StoredPlan, StoredProject } from './account.ts'

/** One committed change. With a project all of its keys are removed. Those of projects and keys fit `AccountChange` of `auth`. */
export type AccountChange =
  | { readonly seq: number; readonly kind: 'plan'; readonly plan: StoredPlan }
  | { readonly seq: number; readonly kind: 'plan_removed'; readonly planId: string }
  | { readonly seq: number; readonly kind: 'project'; readonly project: StoredProject }
  | { readonly seq: number; readonly kind: 'project_removed'; readonly projectId: string }
  | { readonly seq: number; readonly kind: 'key'; readonly key: StoredKey }
  | { readonly seq: number; readonly kind: 'key_removed'; readonly keyId: string }

/** All accounts, as they were after the change `seq`. Fits `AccountSnapshot` of `auth`. */
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
