import {
  type Changes,
  type Chosen,
  isApiKey,
  isWeakKey,
  keyFields,
  minKeyLength,
  parseHash,
  secretFields,
  type StoredSecret,
} from '@wayleave/auth'
import type { Plan as Limits } from '@wayleave/metering'
import { integer, type ObjectShape, oneOf, optional, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import type { ConfiguredKey, KeyRecord } from '../ports.ts'
import { exact, hint, id, listOf, textThat, time } from './fields.ts'
import { type Page, pageOf } from './page.ts'
import { type Source, source } from './plan.ts'
import { chosenShape, patchShape, shownShape } from './record-shape.ts'
import { behind, type Shown, viewRecord } from './record-view.ts'

/** An API key, without its text. */
export interface Key extends Shown<typeof keyFields> {
  readonly source: Source
  readonly secrets: readonly Secret[]
  /** Absent: never, or not noted yet. */
  readonly lastUsedAt?: number
}

/** A secret of a key, without its text. */
export interface Secret extends Shown<typeof secretFields> {
  readonly createdAt: number
}

/** Members of a key that may be chosen. */
export interface KeyFields extends Chosen<typeof keyFields, Limits> {}

/** The key to create: a new one, or with `key` or `keyHash` one of elsewhere. */
export interface NewKey extends KeyFields {
  /** Default: a random one. */
  readonly id?: string
  /** `wayleave`: `wl_` with a checksum, the default; `hex`: 32 hex digits. */
  readonly form?: KeyForm
  /** A key of elsewhere: 16 to 128 of `A-Z a-z 0-9 _ -`. */
  readonly key?: string
  /** `sha256:` and the 64 hex digits of the SHA-256 of a key of elsewhere. */
  readonly keyHash?: string
  /** The last characters of the key that `keyHash` is of. */
  readonly hint?: string
}
export type KeyForm = 'wayleave' | 'hex'

/** A key that was created. `key` is the text of a new one, which is told this once. */
export interface CreatedKey extends Key {
  readonly key?: string
}

/** The change of a key. Null takes an optional member away. */
export interface KeyPatch extends Changes<typeof keyFields, Limits, null> {}

/** The replacement of a key. */
export interface KeyRotation {
  /** Seconds for which the old key stays valid, 0 to 2,592,000 (30 days). Default 86,400. */
  readonly overlapSeconds?: number
  /** The id of the new key. Default: a random one. */
  readonly id?: string
  readonly form?: KeyForm
  /** The moment from which on the new key is unknown. Default: never. */
  readonly expiresAt?: number
}

/** A key that was rotated: the new one, with its text, and the old one, which expires. */
export interface RotatedKey {
  readonly created: CreatedKey
  readonly old: Key
}

/** The secret to create. */
export interface NewSecret extends Chosen<typeof secretFields> {
  /** Seconds for which the key's other secrets stay valid, 0 to 2,592,000. Default: they are left as they are. */
  readonly overlapSeconds?: number
}

/** A secret that was created, with its text, which is told this once. */
export interface CreatedSecret extends Secret {
  readonly secret: string
}

const overlapSeconds = integer('a whole number of seconds from 0 to 2,592,000', 0, 2_592_000)

export const apiKey: Schema<string> = textThat(
  `a key of ${minKeyLength} to 128 characters of A-Z a-z 0-9 _ -`,
  (value) => isApiKey(value) && !isWeakKey(value),
)
export const keyHash: Schema<string> = textThat(
  '"sha256:" and the 64 hex digits of the SHA-256 of a key',
  (value) => parseHash(value) !== undefined,
)
const form: Schema<KeyForm> = oneOf('wayleave', 'hex')

export const keyShape: ObjectShape<KeyFields> = chosenShape(keyFields)

export const newKey: Schema<NewKey> = exact<NewKey>('a key', {
  id: optional(id),
  form: optional(form),
  key: optional(apiKey),
  keyHash: optional(keyHash),
  hint: optional(hint),
  ...keyShape,
})

const { label: labelPatch, disabled, ...otherPatches } = patchShape(keyFields)
export const keyPatch: Schema<KeyPatch> = exact<KeyPatch>('the members to change', {
  label: labelPatch,
  disabled,
  ...otherPatches,
})

export const keyRotation: Schema<KeyRotation> = exact<KeyRotation>('a rotation', {
  overlapSeconds: optional(overlapSeconds),
  id: optional(id),
  form: optional(form),
  expiresAt: optional(time),
})

export const newSecret: Schema<NewSecret> = exact<NewSecret>('a secret', {
  ...chosenShape(secretFields),
  overlapSeconds: optional(overlapSeconds),
})

const secretShape: ObjectShape<Secret> = { ...shownShape(secretFields, {}), createdAt: time }
const secret: Schema<Secret> = exact<Secret>('a secret, without its text', secretShape)

const wholeKey: ObjectShape<Key> = {
  ...behind('projectId', shownShape(keyFields, { secrets: listOf(secret, 100) }), { source }),
  lastUsedAt: optional(time),
}

export const key: Schema<Key> = exact<Key>('a key, without its text', wholeKey)
export const keyPage: Schema<Page<Key>> = pageOf('a page of keys', key)
export const createdKey: Schema<CreatedKey> = exact<CreatedKey>('a key that was created', {
  ...wholeKey,
  key: optional(text('the key, told this once')),
})
export const rotatedKey: Schema<RotatedKey> = exact<RotatedKey>('a key that was rotated', {
  created: createdKey,
  old: key,
})
export const createdSecret: Schema<CreatedSecret> = exact<CreatedSecret>('a secret that was created', {
  ...secretShape,
  secret: text('the secret, told this once'),
})

/** Views a key of the store. */
export function viewKey(kept: KeyRecord, lastUsedAt?: number): Key {
  return {
    ...behind('projectId', viewRecord(keyFields, kept), { source: 'store' as const }),
    secrets: kept.secrets.map(viewSecret),
    ...(lastUsedAt !== undefined && { lastUsedAt }),
  }
}

/** Views a key of the configuration. */
export function viewConfiguredKey(kept: ConfiguredKey, projectId: string): Key {
  const view = viewRecord(keyFields, { ...kept, projectId, secrets: [] })
  return { ...behind('projectId', view, { source: 'config' as const }), secrets: [] }
}

/** Views a secret of the store. */
export function viewSecret(kept: StoredSecret): Secret {
  return { ...viewRecord(secretFields, kept), createdAt: kept.createdAt }
}
