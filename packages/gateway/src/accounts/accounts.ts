import {
  type AccountEvent,
  type AccountSnapshot,
  createKeyDirectory,
  type Digest,
  type KeyDirectory,
} from '@wayleave/auth'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { Log } from '@wayleave/telemetry'
import { accountsOf, type NamedProject } from '../config/accounts.ts'
import type { StoreWatch } from '../telemetry/store-watch.ts'
import type { Principal } from '../principal.ts'
import type { AccountSource } from '../store.ts'
import { type FollowedAccounts, followAccounts } from './follow-accounts.ts'
import { noteUses } from './note-uses.ts'
import { createReadAgain } from './read-again.ts'
import type { KnownChanges } from './refuse-late.ts'
import { type CallerLimits, createStoredLimits, type NamedPlan, type StoredLimitsIndex } from './stored-limits.ts'

/** The accounts of a gateway: those of its configuration, and those of its store. */
export interface Accounts {
  /** Accounts of the configuration that it was opened with, as a store would keep them. */
  readonly configured: AccountSnapshot
  /**
   * Reads the accounts of another configuration. Nothing changes before `commit`, which tells listeners what differs. One that the store
   * has, too, is that of the configuration from then on. @throws AuthError for keys that cannot be used
   */
  prepare(projects: readonly NamedProject[]): NextAccounts
  /** Finds keys in memory: those of the configuration, then those of the store. */
  readonly keys: Pick<KeyDirectory, 'find' | 'revoked' | 'touch'>
  /** The changes of the store, to be read before a caller is refused, which takes 250 ms at most. Undefined where no store is followed. */
  readonly changes: KnownChanges | undefined
  /** Finds the limits that the store sets a caller, as {@link StoredLimitsIndex.find}; undefined for one of the configuration. */
  limitsOf(caller: Pick<Principal, 'project' | 'keyId'>, named?: NamedPlan): CallerLimits | undefined
  /** The limits of the store's keys and projects; undefined where none is followed. */
  readonly limits: Pick<StoredLimitsIndex, 'version' | 'all'> | undefined
  /** Adds a listener for keys and projects that were revoked, changed or amended; returns its end. */
  onEvent(listener: (event: AccountEvent) => void): () => void
  /** Tells how old the accounts of the store may be: `accounts stale for 7 s`. Undefined where none is followed. */
  readonly watch: Pick<StoreWatch, 'fault'> | undefined
  /** Notes the last uses of keys, and ends. */
  close(): Promise<void>
}

/** Accounts of a configuration that are to take the place of those before. */
export interface NextAccounts {
  readonly configured: AccountSnapshot
  commit(): void
}

export interface AccountsOptions {
  readonly projects: readonly NamedProject[]
  /** Undefined where nothing outlasts the process. */
  readonly store: AccountSource | undefined
  readonly sha256: Digest
  readonly clock: Clock
  readonly log: Log
}

/**
 * Opens the accounts; those of the store are known when it resolves.
 * @throws AuthError for keys of the configuration that cannot be used; ConfigError for projects and keys that the store has, too, and
 * where it cannot be read
 */
export async function openAccounts({ projects, store, sha256, clock, log }: AccountsOptions): Promise<Accounts> {
  const now = (): number => clock.date()
  const configured = accountsOf(projects, sha256)
  const own = createKeyDirectory({ snapshot: configured, onInvalid: raise, now })
  const listeners = new Set<(event: AccountEvent) => void>()
  let ownProjects = idsOf(configured)
  let ownKeys = digestsOf(configured)

  /** Accounts of the store, also while the configuration has them: they may leave it. Empty where there is no store. */
  const kept = createKeyDirectory({
    now,
    onInvalid: ({ message }) =>
      log.repeats.error(['account', message], { reason: message }, 'an account of the store cannot be used'),
  })

  function reportChanged(projectId: string, keyId: string | undefined): void {
    for (const listener of listeners) listener({ kind: 'changed', projectId, keyId })
  }

  function prepare(next: readonly NamedProject[]): NextAccounts {
    const snapshot = accountsOf(next, sha256)
    createKeyDirectory({ snapshot, onInvalid: raise, now })
    return {
      configured: snapshot,
      commit() {
        const [projectsBefore, keysBefore] = [ownProjects, ownKeys]
        ownProjects = idsOf(snapshot)
        ownKeys = digestsOf(snapshot)
        own.replace(snapshot)
        // The store may have had them.
        for (const projectId of ownProjects) if (!projectsBefore.has(projectId)) reportChanged(projectId, undefined)
        for (const digest of ownKeys) {
          const taken = keysBefore.has(digest) ? undefined : kept.find(digest)
          if (taken !== undefined) reportChanged(taken.project.id, taken.id)
        }
      },
    }
  }

  if (store === undefined) {
    return {
      configured,
      prepare,
      keys: own,
      changes: undefined,
      limitsOf: () => undefined,
      limits: undefined,
      onEvent: own.onEvent,
      watch: undefined,
      close: async () => {},
    }
  }

  const limits = createStoredLimits()
  const isOwnProject = (id: string): boolean => ownProjects.has(id)
  const followed = await followAccounts({
    projects,
    own: configured,
    isOwnProject,
    isOwnKey: (digest) => ownKeys.has(digest),
    store,
    directory: kept,
    limits,
    clock,
    log,
  })
  const readAgain = createReadAgain(followed.refresh, clock)
  const uses = noteUses({ directory: kept, store, clock })
  return {
    configured,
    prepare,
    keys: {
      find(digest) {
        const found = own.find(digest)
        if (found !== undefined || ownKeys.has(digest)) return found
        const record = kept.find(digest)
        return record === undefined || isOwnProject(record.project.id) ? undefined : record
      },
      revoked: (digest) => own.revoked(digest) ?? kept.revoked(digest),
      touch(record) {
        if (!isOwnProject(record.project.id)) kept.touch(record)
      },
    },
    changes: {
      get seq() {
        return kept.seq
      },
      readAgain,
    },
    limits,
    limitsOf: ({ project, keyId }, named) =>
      isOwnProject(project.id) ? undefined : limits.find(project.id, keyId, named),
    onEvent(listener) {
      const ofStore = (event: AccountEvent): void => void (isOwnProject(event.projectId) || listener(event))
      const ends = [own.onEvent(listener), kept.onEvent(ofStore)]
      listeners.add(listener)
      return () => {
        for (const end of ends) end()
        listeners.delete(listener)
      }
    },
    watch: { fault: () => staleness(followed) },
    async close() {
      await followed.close()
      await uses.close()
    },
  }
}

function idsOf({ projects }: AccountSnapshot): ReadonlySet<string> {
  return new Set(projects.map(({ id }) => id))
}

function digestsOf({ keys }: AccountSnapshot): ReadonlySet<string> {
  return new Set(keys.map(({ digest }) => digest))
}

/** The age from which on accounts count as stale, in ms. They are read each 250 ms. */
const staleFromMs = 1_500

function staleness(followed: FollowedAccounts): string | undefined {
  const ageMs = followed.staleMs()
  return ageMs < staleFromMs ? undefined : `accounts stale for ${Math.floor(ageMs / 1_000)} s`
}

function raise(error: Error): never {
  throw error
}
