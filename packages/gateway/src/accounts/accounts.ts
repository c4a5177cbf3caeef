import {
  type AccountEvent,
  type AccountSnapshot,
  createKeyDirectory,
  type Digest,
  type KeyDirectory,
} from '@wayleave/auth'
import type { Clock } from '@wayleave/jsonrpc-core'
import { accountsOf, type NamedProject } from '../config/accounts.ts'
import type { Log } from '../ops/log.ts'
import type { StoreWatch } from '../ops/store-watch.ts'
import type { Principal } from '../principal.ts'
import type { AccountSource } from '../store.ts'
import { type FollowedAccounts, followAccounts } from './follow-accounts.ts'
import { noteUses } from './note-uses.ts'
import { type CallerLimits, createStoredLimits, type StoredLimitsIndex } from './stored-limits.ts'

/** The accounts of a gateway: those of its configuration, which do not change, and those of its store, which do. */
export interface Accounts {
  /** Those of the configuration, as a store would keep them. */
  readonly configured: AccountSnapshot
  /** Finds keys in memory: those of the configuration, then those of the store. */
  readonly keys: Pick<KeyDirectory, 'find' | 'touch'>
  /** Finds the limits that the store sets a caller; undefined for one of the configuration. */
  limitsOf(caller: Pick<Principal, 'project' | 'keyId'>): CallerLimits | undefined
  /** The limits of the store's keys and projects; undefined where none is followed. */
  readonly limits: Pick<StoredLimitsIndex, 'version' | 'all'> | undefined
  /** Adds a listener for keys and projects of the store that were revoked, changed or amended; returns its end. */
  onEvent(listener: (event: AccountEvent) => void): () => void
  /** Tells how old the accounts of the store may be: `accounts stale for 7 s`. Undefined where none is followed. */
  readonly watch: Pick<StoreWatch, 'fault'> | undefined
  /** Notes the last uses of keys, and ends. */
  close(): Promise<void>
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
  if (store === undefined) {
    return {
      configured,
      keys: own,
      limitsOf: () => undefined,
      limits: undefined,
      onEvent: () => () => {},
      watch: undefined,
      close: async () => {},
    }
  }

  const kept = createKeyDirectory({
    now,
    onInvalid: ({ message }) =>
      log.repeats.error(['account', message], { reason: message }, 'an account of the store cannot be used'),
  })
  const limits = createStoredLimits()
  const followed = await followAccounts({ projects, own: configured, store, directory: kept, limits, clock, log })
  const uses = noteUses({ directory: kept, store, clock })
  const ownProjects = new Set(projects.map(({ id }) => id))
  return {
    configured,
    keys: {
      find: (digest) => own.find(digest) ?? kept.find(digest),
      touch(record) {
        if (!ownProjects.has(record.project.id)) kept.touch(record)
      },
    },
    limits,
    limitsOf: ({ project, keyId }) => (ownProjects.has(project.id) ? undefined : limits.find(project.id, keyId)),
    onEvent: kept.onEvent,
    watch: { fault: () => staleness(followed) },
    async close() {
      await followed.close()
      await uses.close()
    },
  }
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
