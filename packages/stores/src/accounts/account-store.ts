import type {
  JsonObject,
  KeyFields,
  ProjectFields,
  Settable,
  StoredJwtKey,
  StoredKey,
  StoredPlan,
  StoredProject,
  StoredSecret,
} from './account.ts'
import type { AccountFeed } from './account-feed.ts'
import type { AccountFollower, FollowOptions } from './follow-accounts.ts'

/** The author and the time of a change, for the audit log. */
export interface Author {
  /** The name of the admin token, or `cli`; never a token. */
  readonly actor: string
  /** Unix time in ms. */
  readonly at: number
}

/** One line of the audit log. `before` and `after` hold no digest; undefined where the record was made, or removed. */
export interface AuditEntry extends Author {
  readonly seq: number
  /** `project.create`, `key.add_secret`, … */
  readonly action: string
  readonly kind: 'plan' | 'project' | 'key'
  readonly id: string
  /** The project's id; undefined for plans. */
  readonly project: string | undefined
  readonly before: JsonObject | undefined
  readonly after: JsonObject | undefined
}

/** A page: the records after the id `after`, at most `limit`. */
export interface Page {
  readonly after?: string | undefined
  readonly limit: number
}

/**
 * Keeps projects, keys and plans. Each change is one transaction with its rows in the change feed and the audit log, and is on the
 * disk when its promise resolves. The ids are the caller's choice. Changes reject with StoresError `invalid`, `not_found` or `conflict`.
 */
export interface AccountStore extends AccountFeed {
  /** Reads a snapshot and then every change, until it is closed, or the stores are. */
  follow(options: FollowOptions): AccountFollower

  plans(page: Page): Promise<readonly StoredPlan[]>
  /** Makes a plan, or replaces its name and limits. */
  putPlan(plan: Pick<StoredPlan, 'id' | 'name' | 'limits'>, by: Author): Promise<StoredPlan>
  /** @throws StoresError `conflict` while a project or a key has it. */
  removePlan(id: string, by: Author): Promise<void>

  project(id: string): Promise<StoredProject | undefined>
  projects(page: Page): Promise<readonly StoredProject[]>
  createProject(project: Pick<StoredProject, 'id' | 'name'> & ProjectFields, by: Author): Promise<StoredProject>
  updateProject(id: string, fields: ProjectFields, by: Author): Promise<StoredProject>
  /** Removes a project and its keys. Its usage and its audit log stay. */
  removeProject(id: string, by: Author): Promise<void>
  /** @throws StoresError `conflict` where the project has three. */
  addJwtKey(
    projectId: string,
    key: Pick<StoredJwtKey, 'kid' | 'pem'> & Settable<Pick<StoredJwtKey, 'label'>>,
    by: Author,
  ): Promise<StoredProject>
  removeJwtKey(projectId: string, kid: string, by: Author): Promise<StoredProject>

  key(id: string): Promise<StoredKey | undefined>
  keys(projectId: string, page: Page): Promise<readonly StoredKey[]>
  createKey(key: Pick<StoredKey, 'id' | 'projectId' | 'digest' | 'hint'> & KeyFields, by: Author): Promise<StoredKey>
  updateKey(id: string, fields: KeyFields, by: Author): Promise<StoredKey>
  removeKey(id: string, by: Author): Promise<void>
  /**
   * Adds a secret, and drops those that have expired. `othersExpireAt` ends those that live, for a rotation with overlap.
   * @throws StoresError `conflict` where two live.
   */
  addSecret(
    keyId: string,
    secret: Pick<StoredSecret, 'id' | 'digest' | 'hint'> & Settable<Pick<StoredSecret, 'label' | 'expiresAt'>>,
    by: Author,
    options?: { readonly othersExpireAt?: number },
  ): Promise<StoredKey>
  removeSecret(keyId: string, secretId: string, by: Author): Promise<StoredKey>

  /** Notes when keys were used last. Goes by the id; a time before the one noted changes nothing, and is no change of the feed. */
  touch(uses: readonly { readonly keyId: string; readonly usedAt: number }[]): Promise<void>
  /** Tells when keys were used last; those without a use are absent. At most 1,000 ids. */
  lastUsed(keyIds: readonly string[]): Promise<ReadonlyMap<string, number>>

  /** Lists the audit log, the newest first, before the entry `before`. */
  audit(options: {
    readonly project?: string | undefined
    readonly before?: number | undefined
    readonly limit: number
  }): Promise<readonly AuditEntry[]>
  /** Removes audit entries from before a Unix time in ms, and the uses of keys that are gone. */
  prune(options: { readonly auditBefore: number }): Promise<void>
}
