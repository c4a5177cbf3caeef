import type { AccountChange as KeyChange, StoredAccounts } from '@wayleave/auth'
import type { Plan } from '@wayleave/metering'
import type { StoredKey, StoredPlan, StoredProject } from './account.ts'

/** One committed change. With a project all of its keys are removed. A key directory of `auth` applies all but changes of plans. */
export type AccountChange =
  | KeyChange<StoredProject, StoredKey>
  | { readonly seq: number; readonly kind: 'plan'; readonly plan: StoredPlan }
  | { readonly seq: number; readonly kind: 'plan_removed'; readonly planId: string }

/** All accounts, as they were after the change `seq`. */
export interface AccountSnapshot extends StoredAccounts<Plan> {
  readonly seq: number
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
