import { type GivenKey, type GivenProject, keyFields, projectFields } from './account/account.ts'
import type { AccountChange, AccountEvent, AccountSnapshot } from './account/account-changes.ts'
import type { Fields } from './account/field.ts'
import { systemNow } from './defaults.ts'
import { isDigest } from './digest.ts'
import { AuthError } from './error.ts'
import { type KeyRecord, type KeyStore, maxSecrets, type RevokedKey } from './key-store.ts'
import { parseProject, type Project } from './project.ts'

/** All keys of a store by their digests, in memory. A key that is not there costs one look-up, and leaves nothing behind. */
export interface KeyDirectory extends KeyStore {
  /** Number of the last change. */
  readonly seq: number
  find(keyDigest: string): KeyRecord | undefined
  revoked(keyDigest: string): RevokedKey | undefined
  touch(record: KeyRecord): void
  /**
   * Makes one change, and tells listeners. False: it is older than the last one, and ignored. What cannot be read counts as disabled and
   * is told to `onInvalid`, so that one bad row holds up no revocation.
   */
  apply(change: AccountChange): boolean
  /** Takes a new snapshot in the place of all, after changes were missed, and tells listeners what differs. */
  replace(snapshot: AccountSnapshot): void
  /** Adds a listener, which must not throw, for keys and projects that were revoked, changed or amended, not for new ones. Returns its end. */
  onEvent(listener: (event: AccountEvent) => void): () => void
  /** Takes the keys that were touched since the last call. */
  takeUsed(): readonly KeyUse[]
}

/** The last use of a key. */
export interface KeyUse {
  readonly keyId: string
  /** Milliseconds since 1970 at which it was taken: the use is not younger, and not older than the call of `takeUsed` before. */
  readonly usedAt: number
}

export interface KeyDirectoryOptions {
  readonly snapshot?: AccountSnapshot
  /** Called with each row that cannot be used; its message names the row. */
  readonly onInvalid: (error: AuthError) => void
  /** Wall clock in milliseconds since 1970. */
  readonly now?: () => number
}

/** A project with its keys. */
interface Holder {
  stored: GivenProject
  /** Undefined: disabled, or unreadable. */
  project: Project | undefined
  readonly keys: Map<string, Entry>
}

interface Entry {
  readonly stored: GivenKey
  readonly holder: Holder
  /** Undefined: disabled, or unreadable. */
  record: KeyRecord | undefined
}

/** Creates a directory, empty or from a snapshot. */
export function createKeyDirectory({ snapshot, onInvalid, now = systemNow }: KeyDirectoryOptions): KeyDirectory {
  const holders = new Map<string, Holder>()
  const byId = new Map<string, Entry>()
  const byDigest = new Map<string, Entry>()
  /** Ids of keys that were removed last, by their digests. */
  const removed = new Map<string, string>()
  const listeners = new Set<(event: AccountEvent) => void>()
  let used = new Set<string>()
  let seq = -1

  function report(kind: AccountEvent['kind'], projectId: string, keyId?: string): void {
    for (const listener of listeners) listener({ kind, projectId, keyId })
  }

  /** Reads a row; undefined if it cannot be used. */
  function readable<T>(where: string, read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof AuthError)) throw error
      onInvalid(new AuthError(error.code, `${where}: ${error.message}; it is refused until this is mended`))
      return undefined
    }
  }

  function projectOf(stored: GivenProject): Project | undefined {
    if (stored.disabled === true) return undefined
    return readable(`project "${stored.id}"`, () => parseProject(stored))
  }

  function putProject(stored: GivenProject): void {
    const holder = holders.get(stored.id)
    if (holder === undefined) {
      holders.set(stored.id, { stored, project: projectOf(stored), keys: new Map() })
      return
    }
    const { stored: storedBefore, project: before } = holder
    if (isSame(storedBefore, stored)) return
    holder.stored = stored
    holder.project = projectOf(stored)
    for (const entry of holder.keys.values()) entry.record = recordOf(entry.stored, holder.project)
    if (before === undefined) return
    const kept = keepsProjectGrants(storedBefore, stored) ? 'amended' : 'changed'
    report(holder.project === undefined ? 'revoked' : kept, stored.id)
  }

  function removeProject(id: string): void {
    const holder = holders.get(id)
    if (holder === undefined) return
    for (const entry of holder.keys.values()) drop(entry)
    holders.delete(id)
    if (holder.project !== undefined) report('revoked', id)
  }

  function putKey(stored: GivenKey): void {
    const before = byId.get(stored.id)
    if (before !== undefined && isSame(before.stored, stored)) return
    if (before !== undefined) drop(before)
    const entry = add(stored)
    if (before?.record === undefined) return
    const stays =
      entry?.record !== undefined && stored.digest === before.stored.digest && entry.holder === before.holder
    const kept = keepsKeyGrants(before.stored, stored, now()) ? 'amended' : 'changed'
    report(stays ? kept : 'revoked', before.stored.projectId, stored.id)
  }

  function add(stored: GivenKey): Entry | undefined {
    const holder = readable(`key "${stored.id}"`, () => {
      checkKey(stored)
      const other = byDigest.get(stored.digest)
      if (other !== undefined) throw new AuthError('duplicate_key', `it is the same as key "${other.stored.id}"`)
      const found = holders.get(stored.projectId)
      if (found === undefined) throw new AuthError('unknown_project', `there is no project "${stored.projectId}"`)
      return found
    })
    if (holder === undefined) return undefined
    const entry: Entry = { stored, holder, record: recordOf(stored, holder.project) }
    holder.keys.set(stored.id, entry)
    byId.set(stored.id, entry)
    byDigest.set(stored.digest, entry)
    removed.delete(stored.digest)
    return entry
  }

  function drop(entry: Entry): void {
    entry.holder.keys.delete(entry.stored.id)
    byId.delete(entry.stored.id)
    byDigest.delete(entry.stored.digest)
    removed.set(entry.stored.digest, entry.stored.id)
    if (removed.size > maxRemoved) removed.delete(removed.keys().next().value!)
  }

  function removeKey(id: string): void {
    const entry = byId.get(id)
    if (entry === undefined) return
    drop(entry)
    if (entry.record !== undefined) report('revoked', entry.stored.projectId, id)
  }

  function replace(next: AccountSnapshot): void {
    const projects = new Set(next.projects.map(({ id }) => id))
    const keys = new Set(next.keys.map(({ id }) => id))
    for (const id of holders.keys()) if (!projects.has(id)) removeProject(id)
    for (const id of byId.keys()) if (!keys.has(id)) removeKey(id)
    next.projects.forEach(putProject)
    next.keys.forEach(putKey)
    seq = next.seq
  }

  if (snapshot !== undefined) replace(snapshot)
  return {
    get seq() {
      return seq
    },
    find: (keyDigest) => byDigest.get(keyDigest)?.record,
    revoked(keyDigest) {
      const entry = byDigest.get(keyDigest)
      const id = entry?.stored.id ?? removed.get(keyDigest)
      if (id === undefined || entry?.record !== undefined) return undefined
      return { id, why: whyRevoked(entry) }
    },
    // No clock is read here: this is on the way of each call.
    touch: ({ id }) => void used.add(id),
    apply(change) {
      if (change.seq <= seq) return false
      seq = change.seq
      switch (change.kind) {
        case 'project':
          putProject(change.project)
          break
        case 'key':
          putKey(change.key)
          break
        case 'project_removed':
          removeProject(change.projectId)
          break
        case 'key_removed':
          removeKey(change.keyId)
      }
      return true
    },
    replace,
    onEvent(listener) {
      // A function of its own, so that one listener added twice is told twice and removed once.
      const own = (event: AccountEvent): void => listener(event)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    takeUsed() {
      const taken = used
      used = new Set()
      const usedAt = now()
      return Array.from(taken, (keyId) => ({ keyId, usedAt }))
    },
  }
}

/** Most removed keys that are remembered. */
const maxRemoved = 10_000

function whyRevoked(entry: Entry | undefined): string {
  if (entry === undefined) return 'the key was removed'
  if (entry.stored.disabled === true) return 'the key is disabled'
  return entry.holder.stored.disabled === true ? 'its project is disabled' : 'its project cannot be read'
}

function recordOf(stored: GivenKey, project: Project | undefined): KeyRecord | undefined {
  if (project === undefined || stored.disabled === true) return undefined
  const { id, expiresAt, hint, label } = stored
  const secrets = stored.secrets.map((secret) => ({ digest: secret.digest, expiresAt: secret.expiresAt }))
  return { id, project, secrets, expiresAt, hint, label }
}

function checkKey({ digest, secrets }: GivenKey): void {
  if (!isDigest(digest)) throw new AuthError('invalid_key', 'its digest is not 64 lower-case hex digits')
  if (secrets.length > maxSecrets) {
    throw new AuthError('invalid_secret', `it has ${secrets.length} secrets, at most ${maxSecrets} are live at once`)
  }
  if (!secrets.every((secret) => isDigest(secret.digest))) {
    throw new AuthError('invalid_secret', "a secret's digest is not 64 lower-case hex digits")
  }
}

/** Whether all whom a project's row admitted are admitted by the next one, to the same. */
function keepsProjectGrants(before: GivenProject, next: GivenProject): boolean {
  const keys = (next.jwtKeys ?? []).map(({ kid, pem }) => `${kid} ${pem}`)
  return (
    grantsOf(projectFields, before) === grantsOf(projectFields, next) &&
    (before.jwtKeys ?? []).every(({ kid, pem }) => keys.includes(`${kid} ${pem}`))
  )
}

/** The values of all fields that decide who is admitted to what. */
function grantsOf(fields: Fields, stored: object): string {
  const members = stored as Readonly<Record<string, unknown>>
  return JSON.stringify(Object.keys(fields).map((name) => fields[name]!.admits === true && members[name]))
}

/** Likewise of a key with the same digest. */
function keepsKeyGrants(before: GivenKey, next: GivenKey, now: number): boolean {
  const live = before.secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now)
  return (
    grantsOf(keyFields, before) === grantsOf(keyFields, next) &&
    live.every(({ digest, expiresAt }) =>
      next.secrets.some((secret) => secret.digest === digest && secret.expiresAt === expiresAt),
    )
  )
}

/** Compares two rows of one store, whose members come in one order. */
function isSame(a: GivenKey | GivenProject, b: GivenKey | GivenProject): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
