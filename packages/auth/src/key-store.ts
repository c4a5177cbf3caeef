import type { Project } from './project.ts'

/** A store's record of one key. It holds the digests of secrets, never the key or a secret. */
export interface KeyRecord {
  /** Names the key in logs and usage, without telling it. */
  readonly id: string
  readonly project: Project
  /** The secrets that are live: at most two, so that one can be replaced while the other still serves. */
  readonly secrets: readonly SecretRecord[]
  /** Milliseconds since 1970 from which on the key is unknown; undefined: never. */
  readonly expiresAt?: number | undefined
  /** The key's last four characters, for people. */
  readonly hint?: string | undefined
  /** A person's name for the key. */
  readonly label?: string | undefined
}

/** A secret of a key, by digest. */
export interface SecretRecord {
  /** Lower-case hex SHA-256 of the secret. */
  readonly digest: string
  /** Milliseconds since 1970 from which on the secret is wrong; undefined: never. */
  readonly expiresAt?: number | undefined
}

/** A key that serves no more. */
export interface RevokedKey {
  readonly id: string
  /** A sentence for logs. */
  readonly why: string
}

/** Finds a key by its digest. A store that answers at once keeps authentication synchronous. */
export interface KeyStore {
  /**
   * `keyDigest` is the lower-case hex SHA-256 of the key. Undefined: no such key, or a disabled one. A store that answers at once gives the
   * same object until the key or its project changes.
   */
  find(keyDigest: string): KeyRecord | undefined | Promise<KeyRecord | undefined>
  /** Finds a key that `find` lacks because it is disabled or was removed, as far as that is known. */
  revoked?(keyDigest: string): RevokedKey | undefined
  /** Called with each key whose caller was authenticated. It must be quick. */
  touch?(record: KeyRecord): void
}

/** Most secrets of a key that are live at once. */
export const maxSecrets = 2
