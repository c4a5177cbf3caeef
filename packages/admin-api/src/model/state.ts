import { array, boolean, type ObjectShape, oneOf, optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import { exact, hint, id, label, listOf, name } from './fields.ts'
import { apiKey, type KeyFields, keyHash, keyShape } from './key.ts'
import { limits } from './limits.ts'
import type { PlanFields } from './plan.ts'
import { newJwtKey, type NewJwtKey, type ProjectFields, projectShape } from './project.ts'

/** The accounts that a store is to hold, all of them. */
export interface DesiredState {
  readonly plans: readonly DesiredPlan[]
  readonly projects: readonly DesiredProject[]
  /** True: tells the changes, and makes none. Default false. */
  readonly dryRun?: boolean
}

export interface DesiredPlan extends PlanFields {
  readonly id: string
}

/** A project as it is to be: members that are absent have their defaults, but for `keys`. */
export interface DesiredProject extends ProjectFields {
  readonly id: string
  /** Default: the id. */
  readonly name?: string
  readonly jwtKeys?: readonly NewJwtKey[]
  /** All keys of the project. Absent: they are left as they are. */
  readonly keys?: readonly DesiredKey[]
}

/** A key as it is to be, with `key` or `keyHash`. Its secrets are left as they are. */
export interface DesiredKey extends KeyFields {
  readonly id: string
  readonly key?: string
  readonly keyHash?: string
  readonly hint?: string
}

/** The changes that make a store equal to a state, in their order. */
export interface AppliedState {
  readonly dryRun: boolean
  readonly changes: readonly StateChange[]
}

export interface StateChange {
  readonly action: 'create' | 'update' | 'remove'
  readonly kind: 'plan' | 'project' | 'key' | 'jwt_key'
  readonly id: string
  /** The project of a key or a JWT key. */
  readonly project?: string
  /** The members that an update changes. */
  readonly members?: readonly string[]
}

/** Keys of elsewhere, at most 1,000. */
export type ImportedKeys = readonly ImportedKey[]

export interface ImportedKey {
  /** The project's id. */
  readonly project: string
  /** 16 to 128 of `A-Z a-z 0-9 _ -`; or its `keyHash`. */
  readonly key?: string
  readonly keyHash?: string
  readonly label?: string
  /** Default: a random one. */
  readonly id?: string
}

/** The outcome of an import, in the order of its keys. */
export interface ImportResult {
  readonly items: readonly ImportOutcome[]
}

export interface ImportOutcome {
  readonly id: string
  readonly projectId: string
  /** `exists`: the project has had this key before. */
  readonly outcome: 'created' | 'exists'
}

const keyText = { key: optional(apiKey), keyHash: optional(keyHash) }

const desiredKey: Schema<DesiredKey> = exact<DesiredKey>('a key', {
  id,
  ...keyText,
  hint: optional(hint),
  ...keyShape,
} satisfies ObjectShape<DesiredKey>)

export const desiredState: Schema<DesiredState> = exact<DesiredState>('{ plans, projects, dryRun? }', {
  dryRun: optional(boolean),
  plans: array(exact<DesiredPlan>('a plan', { id, name: optional(name), limits })),
  projects: array(
    exact<DesiredProject>('a project', {
      id,
      name: optional(name),
      ...projectShape,
      jwtKeys: optional(listOf(newJwtKey, 3)),
      keys: optional(array(desiredKey)),
    }),
  ),
})

const change: Schema<StateChange> = exact<StateChange>('a change', {
  action: oneOf('create', 'update', 'remove'),
  kind: oneOf('plan', 'project', 'key', 'jwt_key'),
  id,
  project: optional(id),
  members: optional(array(id)),
})

export const appliedState: Schema<AppliedState> = exact<AppliedState>('changes', {
  dryRun: boolean,
  changes: array(change),
})

export const importedKeys: Schema<ImportedKeys> = listOf(
  exact<ImportedKey>('a key', { project: id, ...keyText, label: optional(label), id: optional(id) }),
  1_000,
)

export const importResult: Schema<ImportResult> = exact<ImportResult>('the outcome of an import', {
  items: array(
    exact<ImportOutcome>('the outcome of one key', { id, projectId: id, outcome: oneOf('created', 'exists') }),
  ),
})
