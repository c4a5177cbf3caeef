import type { ProjectSettings } from './project.ts'

/** A project as a store keeps it. */
export interface StoredProject extends ProjectSettings {
  /** True if its keys are unknown. */
  readonly disabled?: boolean
}

/** A key as a store keeps it. */
export interface StoredKey {
  /** Stable, and unique among all projects. */
  readonly id: string
  readonly projectId: string
  /** Lower-case hex SHA-256 of the key. */
  readonly digest: string
  /** The key's last four characters, for people. */
  readonly hint?: string
  /** A person's name for the key. */
  readonly label?: string
  /** Milliseconds since 1970 from which on the key is unknown. */
  readonly expiresAt?: number
  /** True if the key is unknown. */
  readonly disabled?: boolean
  /** At most two. */
  readonly secrets: readonly StoredSecret[]
}

/** A secret as a store keeps it. */
export interface StoredSecret {
  readonly id: string
  /** Lower-case hex SHA-256 of the secret. */
  readonly digest: string
  /** The secret's last four characters, for people. */
  readonly hint?: string
  readonly label?: string
  /** Milliseconds since 1970 from which on the secret is wrong. */
  readonly expiresAt?: number
}

/** All projects and keys at one moment. */
export interface AccountSnapshot {
  /** Number of the last change that it holds. */
  readonly seq: number
  readonly projects: readonly StoredProject[]
  readonly keys: readonly StoredKey[]
}

/** One change of a store. Changes come in the order of their numbers, which may leave gaps. */
export type AccountChange =
  | { readonly seq: number; readonly kind: 'project'; readonly project: StoredProject }
  | { readonly seq: number; readonly kind: 'key'; readonly key: StoredKey }
  | { readonly seq: number; readonly kind: 'project_removed'; readonly projectId: string }
  | { readonly seq: number; readonly kind: 'key_removed'; readonly keyId: string }

/**
 * A change for callers who are connected already: revoked ones must go, changed ones be admitted anew, amended ones may stay, as it is
 * about a name, a label, the plan, the directives, or a secret or a JWT key more.
 */
export interface AccountEvent {
  readonly kind: 'revoked' | 'changed' | 'amended'
  readonly projectId: string
  /** Undefined: all keys of the project. */
  readonly keyId: string | undefined
}
