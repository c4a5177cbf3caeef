import type { GivenKey, GivenProject } from './account.ts'

/** All projects and keys at one moment. */
export interface AccountSnapshot {
  /** Number of the last change that it holds. */
  readonly seq: number
  readonly projects: readonly GivenProject[]
  readonly keys: readonly GivenKey[]
}

/** One change of a store. Changes come in the order of their numbers, which may leave gaps. */
export type AccountChange<Project = GivenProject, Key = GivenKey> =
  | { readonly seq: number; readonly kind: 'project'; readonly project: Project }
  | { readonly seq: number; readonly kind: 'key'; readonly key: Key }
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
