import { isApiKey, isApiSecret } from './api-key.ts'
import { type Digest, sha256Hex } from './digest.ts'
import { AuthError } from './error.ts'
import type { KeyRecord, KeyStore } from './key-store.ts'
import type { Project } from './project.ts'

/** A key as an operator writes it, in plain text. */
export interface KeyEntry {
  readonly key: string
  readonly secret?: string
}

/** A project as an operator writes it; `requireSecret` is false by default. */
export interface ProjectEntry {
  readonly id: string
  readonly name: string
  /** Slugs of the networks that its keys may reach; undefined: all. */
  readonly networks?: readonly string[]
  readonly requireSecret?: boolean
  readonly keys: readonly KeyEntry[]
}

/** Hex digits of a key's digest that name it: enough to tell keys apart, too few to confirm a guess of a random one. */
const keyIdLength = 8

/**
 * Makes a store of fixed projects. It keeps digests only and answers synchronously.
 * @throws AuthError for a key or secret that no caller could use, and for a key that is listed twice.
 */
export function createMemoryKeyStore(projects: readonly ProjectEntry[], sha256: Digest = sha256Hex): KeyStore {
  const records = new Map<string, KeyRecord>()
  for (const { id, name, networks, requireSecret = false, keys } of projects) {
    // Copied member by member, so that nothing else of an operator's object travels with the project.
    const project: Project = { id, name, requireSecret, ...(networks === undefined ? {} : { networks }) }
    keys.forEach(({ key, secret }, index) => {
      checkKey(key, secret, project, `keys[${index}] of project "${id}"`)
      const digest = sha256(key)
      const other = records.get(digest)
      if (other !== undefined) {
        throw new AuthError(
          'duplicate_key',
          `keys[${index}] of project "${id}" stands already in project "${other.project.id}": list each key once`,
        )
      }
      records.set(digest, {
        id: digest.slice(0, keyIdLength),
        project,
        secretDigest: secret === undefined ? undefined : sha256(secret),
      })
    })
  }
  return { find: (keyDigest) => records.get(keyDigest) }
}

function checkKey(key: string, secret: string | undefined, project: Project, where: string): void {
  if (!isApiKey(key)) {
    throw new AuthError('invalid_key', `${where}: a key is 1 to 128 characters of A-Z a-z 0-9 _ -`)
  }
  if (secret === undefined) {
    if (!project.requireSecret) return
    throw new AuthError(
      'missing_secret',
      `${where} has no secret, but the project requires one: give it one, or set requireSecret to false`,
    )
  }
  if (!isApiSecret(secret)) {
    throw new AuthError('invalid_secret', `${where}: a secret is 1 to 1,024 characters without control characters`)
  }
}
