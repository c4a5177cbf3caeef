import { type Digest, isDigest, keyIdLength, sha256Hex } from './digest.ts'
import { AuthError } from './error.ts'
import { hintOf, isApiKey, isApiSecret } from './key-format.ts'
import { type KeyRecord, type KeyStore, maxSecrets, type SecretRecord } from './key-store.ts'
import { parseProject, type Project, type ProjectSettings } from './project.ts'

/** A key as an operator writes it: in plain text, or as its SHA-256. */
export type KeyEntry = KeyText & {
  /** In plain text. */
  readonly secret?: string
  /** SHA-256 of more secrets, `sha256:` and 64 hex digits; with `secret` at most two. */
  readonly secretHashes?: readonly string[]
  /** Milliseconds since 1970 from which on the key is unknown. */
  readonly expiresAt?: number
  /** A person's name for the key. */
  readonly label?: string
}

type KeyText =
  | { readonly key: string; readonly keyHash?: undefined }
  | {
      /** `sha256:` and 64 hex digits. */
      readonly keyHash: string
      readonly key?: undefined
    }

/** A project as an operator writes it. */
export interface ProjectEntry extends ProjectSettings {
  readonly keys: readonly KeyEntry[]
}

/**
 * Makes a store of fixed projects. It keeps digests only and answers synchronously.
 * @throws AuthError for a key or secret that no caller could use, a key that is listed twice, and for rules and JWT keys.
 */
export function createMemoryKeyStore(projects: readonly ProjectEntry[], sha256: Digest = sha256Hex): KeyStore {
  const records = new Map<string, KeyRecord>()
  for (const entry of projects) {
    const project = parseEntry(entry)
    entry.keys.forEach((key, index) => {
      const where = `keys[${index}] of project "${project.id}"`
      const digest = keyDigest(key, where, sha256)
      const secrets = secretsOf(key, where, sha256)
      if (secrets.length === 0 && project.requireSecret && (project.jwtKeys?.length ?? 0) === 0) {
        throw new AuthError(
          'missing_secret',
          `${where} has no secret, but the project requires one: give it one, or set requireSecret to false`,
        )
      }
      const other = records.get(digest)
      if (other !== undefined) {
        throw new AuthError(
          'duplicate_key',
          `${where} stands already in project "${other.project.id}": list each key once`,
        )
      }
      const { expiresAt, label } = key
      const hint = key.key === undefined ? undefined : hintOf(key.key)
      records.set(digest, { id: digest.slice(0, keyIdLength), project, secrets, expiresAt, hint, label })
    })
  }
  return { find: (digest) => records.get(digest) }
}

/**
 * Reads a digest as configurations and stores of elsewhere write it: `sha256:` and 64 hex digits.
 * Undefined for any other text.
 */
export function parseHash(text: string): string | undefined {
  const digest = text.startsWith('sha256:') ? text.slice('sha256:'.length).toLowerCase() : ''
  return isDigest(digest) ? digest : undefined
}

function parseEntry(entry: ProjectEntry): Project {
  try {
    return parseProject(entry)
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    throw new AuthError(error.code, `project "${entry.id}": ${error.message}`)
  }
}

function keyDigest({ key, keyHash }: KeyEntry, where: string, sha256: Digest): string {
  if (key !== undefined) {
    if (isApiKey(key)) return sha256(key)
    throw new AuthError('invalid_key', `${where}: a key is 1 to 128 characters of A-Z a-z 0-9 _ -`)
  }
  const digest = parseHash(keyHash)
  if (digest !== undefined) return digest
  throw new AuthError('invalid_key', `${where}: keyHash is "sha256:" and the 64 hex digits of the key's SHA-256`)
}

function secretsOf({ secret, secretHashes = [] }: KeyEntry, where: string, sha256: Digest): readonly SecretRecord[] {
  if (secret !== undefined && !isApiSecret(secret)) {
    throw new AuthError('invalid_secret', `${where}: a secret is 1 to 1,024 characters without control characters`)
  }
  const digests = secretHashes.map(parseHash)
  if (secret !== undefined) digests.unshift(sha256(secret))
  if (digests.length > maxSecrets) {
    throw new AuthError(
      'invalid_secret',
      `${where} has ${digests.length} secrets, at most ${maxSecrets} are live at once`,
    )
  }
  return digests.map((digest) => {
    if (digest !== undefined) return { digest }
    throw new AuthError(
      'invalid_secret',
      `${where}: secretHashes are "sha256:" and the 64 hex digits of a secret's SHA-256`,
    )
  })
}
