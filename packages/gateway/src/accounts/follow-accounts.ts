import type { AccountSnapshot as OwnAccounts, KeyDirectory } from '@wayleave/auth'
import type { Clock } from '@wayleave/jsonrpc-core'
import type {
  AccountChange,
  AccountFollower,
  AccountSnapshot,
  StoredKey,
  StoredProject,
  StoresError,
} from '@wayleave/stores'
import type { Log } from '@wayleave/telemetry'
import type { NamedProject } from '../config/accounts.ts'
import { ConfigError, type ConfigProblem } from '../config/check.ts'
import { type AccountSource, storeProblem } from '../store.ts'
import { accountConflicts } from './account-conflicts.ts'
import type { StoredLimitsIndex } from './stored-limits.ts'

/** The accounts of a store, as a key directory follows them. */
export interface FollowedAccounts {
  /** Milliseconds since the store was last read. */
  staleMs(): number
  /** As that of an `AccountFollower`. */
  refresh(): Promise<void>
  close(): Promise<void>
}

export interface FollowAccountsOptions {
  readonly projects: readonly NamedProject[]
  /** The accounts that `projects` make. */
  readonly own: OwnAccounts
  /** Whether the configuration of the moment has a project, by its id, or a key, by its digest. */
  readonly isOwnProject: (id: string) => boolean
  readonly isOwnKey: (digest: string) => boolean
  readonly store: AccountSource
  readonly directory: KeyDirectory
  readonly limits: StoredLimitsIndex
  readonly clock: Clock
  readonly log: Log
}

/**
 * Has a directory and the limits follow all accounts of a store, and resolves when they have them. Those that the configuration has, too,
 * are an error then; of those that come later the log tells. @throws ConfigError
 */
export async function followAccounts(options: FollowAccountsOptions): Promise<FollowedAccounts> {
  const { projects, own, isOwnProject, isOwnKey, store, directory, limits, clock, log } = options

  function lookAtProject({ id }: StoredProject): void {
    if (!isOwnProject(id)) return
    const fields = { project: id }
    log.repeats.error(['conflict', id], fields, 'a project of the store is left out: the configuration has its id')
  }

  function lookAtKey({ id, projectId, digest }: StoredKey): void {
    if (isOwnProject(projectId) || !isOwnKey(digest)) return
    const fields = { project: projectId, keyId: id }
    log.repeats.error(['conflict', projectId, id], fields, 'a key of the store is left out: the configuration has it')
  }

  function replace(snapshot: AccountSnapshot): void {
    snapshot.projects.forEach(lookAtProject)
    snapshot.keys.forEach(lookAtKey)
    limits.replace(snapshot)
    directory.replace(snapshot)
  }

  function apply(change: AccountChange): void {
    if (change.kind === 'project') lookAtProject(change.project)
    if (change.kind === 'key') lookAtKey(change.key)
    // The directory's listeners may look for the limits.
    limits.apply(change)
    if (change.kind !== 'plan' && change.kind !== 'plan_removed') directory.apply(change)
  }

  function report(error: StoresError | undefined): void {
    if (error === undefined) return log.warn({}, 'accounts are read again')
    const fields = { code: error.code, detail: error.message }
    log.warn(fields, 'accounts cannot be read; those that are known serve on')
  }

  let isOpen = false
  let follower: AccountFollower
  const opened = new Promise<readonly ConfigProblem[]>((resolve, reject) => {
    follower = store.follow({
      clock,
      onSnapshot(snapshot) {
        const conflicts = isOpen ? [] : accountConflicts(projects, own, snapshot)
        if (conflicts.length === 0) replace(snapshot)
        isOpen = true
        resolve(conflicts)
      },
      onChange: apply,
      onFailure(error) {
        if (isOpen) report(error)
        else if (error !== undefined) reject(error)
      },
    })
  })
  try {
    const conflicts = await opened
    if (conflicts.length > 0) throw new ConfigError(conflicts)
  } catch (thrown) {
    await follower!.close()
    throw storeProblem(thrown, store.path) ?? thrown
  }
  return {
    staleMs: () => follower.staleMs() ?? 0,
    refresh: () => follower.refresh(),
    close: () => follower.close(),
  }
}
