import {
  type Changes,
  type Chosen,
  type Given,
  type JwtAlgorithm,
  jwtKeyFields,
  maxJwtKeys,
  parseJwtKey,
  projectFields,
} from '@wayleave/auth'
import type { Plan as Limits } from '@wayleave/metering'
import { type ObjectShape, oneOf, optional, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import type { ConfiguredProject, ProjectRecord } from '../ports.ts'
import { exact, id, listOf, name, textThat } from './fields.ts'
import { type Page, pageOf } from './page.ts'
import { type Source, source } from './plan.ts'
import { chosenShape, patchShape, shownShape } from './record-shape.ts'
import { behind, type Shown, viewRecord } from './record-view.ts'

/** The holder of keys. */
export interface Project extends Shown<typeof projectFields> {
  readonly source: Source
  readonly jwtKeys: readonly JwtKey[]
}

/** A public key that verifies JWTs of a project. */
export interface JwtKey extends Shown<typeof jwtKeyFields> {
  /** Absent, as the fingerprint, for a key in the store that is none: its tokens are refused. */
  readonly alg?: JwtAlgorithm
  /** Base64 of the SHA-256 of the DER public key. */
  readonly fingerprint?: string
}

/** The JWT key to add. */
export interface NewJwtKey extends Chosen<typeof jwtKeyFields> {
  /** Default: the first 32 hex digits of the key's SHA-256. */
  readonly kid?: string
  /** `-----BEGIN PUBLIC KEY-----`: RSA of 2,048 to 8,192 bits, or EC on P-256. */
  readonly pem: string
}

/** Members that may be chosen and changed; lists and objects are replaced as a whole. */
export interface ProjectFields extends Omit<Chosen<typeof projectFields, Limits>, 'name'> {}

/** The project to create. */
export interface NewProject extends ProjectFields {
  /** Default: a random one. */
  readonly id?: string
  readonly name: string
}

/** The change of a project. Null takes an optional member away. */
export interface ProjectPatch extends Changes<typeof projectFields, Limits, null> {}

const { name: _, ...chosen } = chosenShape(projectFields)
export const projectShape: ObjectShape<ProjectFields> = chosen

export const newProject: Schema<NewProject> = exact<NewProject>('a project', {
  id: optional(id),
  name,
  ...projectShape,
})

const { name: namePatch, ...otherPatches } = patchShape(projectFields)
export const projectPatch: Schema<ProjectPatch> = exact<ProjectPatch>('the members to change', {
  ...otherPatches,
  name: namePatch,
})

const pem = textThat(
  'one public key, -----BEGIN PUBLIC KEY-----: RSA of 2,048 to 8,192 bits, or EC on P-256; if you sent a private key, replace it',
  (value) => parseJwtKey({ pem: value }),
)

export const newJwtKey: Schema<NewJwtKey> = exact<NewJwtKey>('a public key', {
  kid: optional(id),
  pem,
  ...chosenShape(jwtKeyFields),
})

const facts = {
  alg: optional(oneOf<JwtAlgorithm>('RS256', 'ES256')),
  fingerprint: optional(text('base64 of the SHA-256 of the key', /^[A-Za-z0-9+/]{43}=$/)),
}
export const jwtKey: Schema<JwtKey> = exact<JwtKey>('a JWT key', behind('kid', shownShape(jwtKeyFields, {}), facts))

export const project: Schema<Project> = exact<Project>(
  'a project',
  behind('name', shownShape(projectFields, { jwtKeys: listOf(jwtKey, maxJwtKeys) }), { source }),
)

export const projectPage: Schema<Page<Project>> = pageOf('a page of projects', project)

/** Views a project of either source. */
export function viewProject(kept: ProjectRecord | ConfiguredProject, from: Source): Project {
  const view = behind('name', viewRecord(projectFields, kept), { source: from })
  return { ...view, jwtKeys: (kept.jwtKeys ?? []).map(viewJwtKey) }
}

/** Views a public key with its algorithm and its fingerprint. */
export function viewJwtKey(kept: Given<typeof jwtKeyFields>): JwtKey {
  return behind('kid', viewRecord(jwtKeyFields, kept), factsOf(kept.pem))
}

function factsOf(key: string): Pick<JwtKey, 'alg' | 'fingerprint'> {
  try {
    const { alg, fingerprint } = parseJwtKey({ pem: key })
    return { alg, fingerprint }
  } catch {
    return {}
  }
}
