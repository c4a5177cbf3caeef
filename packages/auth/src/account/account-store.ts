import type {
  JwtKeyChanges,
  KeyChanges,
  ProjectChanges,
  SecretChanges,
  StoredJwtKey,
  StoredKey,
  StoredPlan,
  StoredProject,
  StoredSecret,
} from './account.ts'

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
  readonly before: Readonly<Record<string, unknown>> | undefined
  readonly after: Readonly<Record<string, unknown>> | undefined
}

/** A page: the records after the id `after`, at most `limit`. */
export interface RecordPage {
  readonly after?: string | undefined
  readonly limit: number
}

/** Plans of elsewhere, such as a configuration, that records may name beside those of the store. */
export interface FurtherPlans {
  readonly plans?: Pick<ReadonlySet<string>, 'has'>
}

/** All plans, projects and keys of a store at one moment. */
export interface StoredAccounts<Limits = object> {
  readonly plans: readonly StoredPlan<Limits>[]
  readonly projects: readonly StoredProject<Limits>[]
  readonly keys: readonly StoredKey<Limits>[]
}

/**
 * Keeps projects, keys and plans. A change is durable, and in the audit log, when its promise resolves. The ids are the caller's choice.
 * Changes reject with an error whose `code` is `invalid`, `not_found` or `conflict`.
 */
export interface AccountStore<Limits = object> {
  snapshot(): Promise<StoredAccounts<Limits>>

  plans(page: RecordPage): Promise<readonly StoredPlan<Limits>[]>
  /** Makes a plan, or replaces its name and limits. */
  putPlan(plan: Omit<StoredPlan<Limits>, 'createdAt'>, by: Author): Promise<StoredPlan<Limits>>
  /** Rejects with `conflict` while a project or a key has it. */
  removePlan(id: string, by: Author): Promise<void>

  project(id: string): Promise<StoredProject<Limits> | undefined>
  projects(page: RecordPage): Promise<readonly StoredProject<Limits>[]>
  createProject(
    project: Pick<StoredProject<Limits>, 'id' | 'name'> & ProjectChanges<Limits>,
    by: Author,
    further?: FurtherPlans,
  ): Promise<StoredProject<Limits>>
  updateProject(
    id: string,
    changes: ProjectChanges<Limits>,
    by: Author,
    further?: FurtherPlans,
  ): Promise<StoredProject<Limits>>
  /** Removes a project and its keys. Its usage and its audit log stay. */
  removeProject(id: string, by: Author): Promise<void>
  /** Rejects with `conflict` where the project has three. */
  addJwtKey(
    projectId: string,
    key: Pick<StoredJwtKey, 'kid' | 'pem'> & JwtKeyChanges,
    by: Author,
  ): Promise<StoredProject<Limits>>
  removeJwtKey(projectId: string, kid: string, by: Author): Promise<StoredProject<Limits>>

  key(id: string): Promise<StoredKey<Limits> | undefined>
  keys(projectId: string, page: RecordPage): Promise<readonly StoredKey<Limits>[]>
  createKey(
    key: Pick<StoredKey, 'id' | 'projectId' | 'digest' | 'hint'> & KeyChanges<Limits>,
    by: Author,
    further?: FurtherPlans,
  ): Promise<StoredKey<Limits>>
  updateKey(id: string, changes: KeyChanges<Limits>, by: Author, further?: FurtherPlans): Promise<StoredKey<Limits>>
  removeKey(id: string, by: Author): Promise<void>
  /**
   * Adds a secret, and drops those that have expired. `othersExpireAt` ends those that live, for a rotation with overlap. Rejects with
   * `conflict` where two live.
   */
  addSecret(
    keyId: string,
    secret: Pick<StoredSecret, 'id' | 'digest' | 'hint'> & SecretChanges,
    by: Author,
    options?: { readonly othersExpireAt?: number },
  ): Promise<StoredKey<Limits>>
  removeSecret(keyId: string, secretId: string, by: Author): Promise<StoredKey<Limits>>

  /** Tells when keys were used last; those without a use are absent. At most 1,000 ids. */
  lastUsed(keyIds: readonly string[]): Promise<ReadonlyMap<string, number>>

  /** Lists the audit log, the newest first, before the entry `before`. */
  audit(options: {
    readonly project?: string | undefined
    readonly before?: number | undefined
    readonly limit: number
  }): Promise<readonly AuditEntry[]>
}
