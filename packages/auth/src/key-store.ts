import type { Project } from './project.ts'

/** What a store knows of one key: never the key or the secret, only the secret's digest. */
export interface KeyRecord {
  /** Names the key in logs and usage, without telling it. */
  readonly id: string
  readonly project: Project
  /** Lower-case hex SHA-256 of the secret; undefined where the key has none. */
  readonly secretDigest: string | undefined
}

/** Finds a key by its digest. A store that answers at once keeps authentication synchronous. */
export interface KeyStore {
  /** `keyDigest` is the lower-case hex SHA-256 of the key. Undefined: no such key, or a disabled one. */
  find(keyDigest: string): KeyRecord | undefined | Promise<KeyRecord | undefined>
}
