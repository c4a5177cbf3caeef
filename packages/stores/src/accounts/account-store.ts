import type * as auth from '@wayleave/auth'
import type { Plan } from '@wayleave/metering'
import type { AccountFeed, AccountSnapshot } from './account-feed.ts'
import type { AccountFollower, FollowOptions } from './follow-accounts.ts'

/**
 * Keeps projects, keys and plans. Each change is one transaction with its rows in the change feed and the audit log, and is on the
 * disk when its promise resolves. The ids are the caller's choice. Changes reject with StoresError `invalid`, `not_found` or `conflict`.
 */
export interface AccountStore extends auth.AccountStore<Plan>, AccountFeed {
  snapshot(): Promise<AccountSnapshot>
  /** Reads a snapshot and then every change, until it is closed, or the stores are. */
  follow(options: FollowOptions): AccountFollower
  /** Notes when keys were used last. Goes by the id; a time before the one noted changes nothing, and is no change of the feed. */
  touch(uses: readonly auth.KeyUse[]): Promise<void>
  /** Removes audit entries from before a Unix time in ms, and the uses of keys that are gone. */
  prune(options: { readonly auditBefore: number }): Promise<void>
}
