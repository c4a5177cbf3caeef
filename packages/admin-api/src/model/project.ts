import { type JwtAlgorithm, parseJwtKey, type RuleEntries } from '@wayleave/auth'
import type { Plan as Limits } from '@wayleave/metering'
import {
  boolean,
  nullable,
  type ObjectShape,
  oneOf,
  optional,
  record,
  type Schema,
  text,
} from '@wayleave/jsonrpc-core/schema'
import type { ConfiguredProject, ProjectRecord } from '../ports.ts'
import { exact, id, label, listOf, name, textThat, time, words } from './fields.ts'
import { limits } from './limits.ts'
import { type Page, pageOf } from './page.ts'
import { type Source, source } from './plan.ts'
import { rules } from './rules.ts'

/** The holder of keys. */
export interface Project {
  /** Names it in usage and in the audit log. It never changes, and is not given again. */
  readonly id: string
  /** Unique. */
  readonly name: string
  readonly source: Source
  /** True if its keys are unknown. */
  readonly disabled: boolean
  /** The networks that its keys may reach; absent: all. */
  readonly networks?: readonly string[]
  /** True if a key alone does not suffice. */
  readonly requireSecret: boolean
  /** True if nothing but a JWT suffices. */
  readonly requireJwt: boolean
  readonly jwtKeys: readonly JwtKey[]
  /** The audience that JWTs must name; absent: that of the service. */
  readonly jwtAudience?: string
  readonly rules: RuleEntries
  /** True if a call with a valid secret passes whatever the rules say. */
  readonly secretBypassesRules: boolean
  /** The id of its plan. */
  readonly plan?: string
  readonly limits?: Limits
  /** Defaults of the directives that its calls may carry. */
  readonly directives: Readonly<Record<string, string>>
  /** Absent for the configuration. */
  readonly createdAt?: number
}

/** A public key that verifies JWTs of a project. */
export interface JwtKey {
  /** The name that the `kid` of a token gives. */
  readonly kid: string
  /** Absent, as the fingerprint, for a key in the store that is none: its tokens are refused. */
  readonly alg?: JwtAlgorithm
  /** Base64 of the SHA-256 of the DER public key. */
  readonly fingerprint?: string
  readonly pem: string
  readonly label: string
  readonly createdAt?: number
}

/** The JWT key to add. */
export interface NewJwtKey {
  /** Default: the first 32 hex digits of the key's SHA-256. */
  readonly kid?: string
  /** `-----BEGIN PUBLIC KEY-----`: RSA of 2,048 to 8,192 bits, or EC on P-256. */
  readonly pem: string
  readonly label?: string
}

/** Members that may be chosen and changed; lists and objects are replaced as a whole. */
export interface ProjectFields {
  readonly disabled?: boolean
  readonly networks?: readonly string[]
  readonly requireSecret?: boolean
  readonly requireJwt?: boolean
  readonly jwtAudience?: string
  readonly rules?: RuleEntries
  readonly secretBypassesRules?: boolean
  readonly plan?: string
  readonly limits?: Limits
  readonly directives?: Readonly<Record<string, string>>
}

/** The project to create. */
export interface NewProject extends ProjectFields {
  /** Default: a random one. */
  readonly id?: string
  readonly name: string
}

/** The change of a project. Null takes an optional member away. */
export interface ProjectPatch extends Omit<ProjectFields, Optional> {
  readonly name?: string
  readonly networks?: readonly string[] | null
  readonly jwtAudience?: string | null
  readonly plan?: string | null
  readonly limits?: Limits | null
}
type Optional = 'networks' | 'jwtAudience' | 'plan' | 'limits'

const network = words(1, 256)
const networks = listOf(network, 200)
const audience = words(1, 256)
const directive = record(words(0, 256), id)
const directives: Schema<Readonly<Record<string, string>>> = {
  ...directive,
  check(value, path) {
    const issue = directive.check(value, path)
    if (issue !== undefined || Object.keys(value as object).length <= 30) return issue
    return { path, expected: 'at most 30 directives', received: 'more' }
  },
}

export const projectShape: ObjectShape<ProjectFields> = {
  disabled: optional(boolean),
  networks: optional(networks),
  requireSecret: optional(boolean),
  requireJwt: optional(boolean),
  jwtAudience: optional(audience),
  rules: optional(rules),
  secretBypassesRules: optional(boolean),
  plan: optional(id),
  limits: optional(limits),
  directives: optional(directives),
}

export const newProject: Schema<NewProject> = exact<NewProject>('a project', {
  id: optional(id),
  name,
  ...projectShape,
})

export const projectPatch: Schema<ProjectPatch> = exact<ProjectPatch>('the members to change', {
  ...projectShape,
  name: optional(name),
  networks: optional(nullable(networks)),
  jwtAudience: optional(nullable(audience)),
  plan: optional(nullable(id)),
  limits: optional(nullable(limits)),
})

const pem = textThat(
  'one public key, -----BEGIN PUBLIC KEY-----: RSA of 2,048 to 8,192 bits, or EC on P-256; if you sent a private key, replace it',
  (value) => parseJwtKey({ pem: value }),
)

export const newJwtKey: Schema<NewJwtKey> = exact<NewJwtKey>('a public key', {
  kid: optional(id),
  pem,
  label: optional(label),
})

export const jwtKey: Schema<JwtKey> = exact<JwtKey>('a JWT key', {
  kid: id,
  alg: optional(oneOf<JwtAlgorithm>('RS256', 'ES256')),
  fingerprint: optional(text('base64 of the SHA-256 of the key', /^[A-Za-z0-9+/]{43}=$/)),
  pem: text('a public key'),
  label,
  createdAt: optional(time),
})

export const project: Schema<Project> = exact<Project>('a project', {
  id,
  name,
  source,
  disabled: boolean,
  networks: optional(networks),
  requireSecret: boolean,
  requireJwt: boolean,
  jwtKeys: listOf(jwtKey, 3),
  jwtAudience: optional(audience),
  rules,
  secretBypassesRules: boolean,
  plan: optional(id),
  limits: optional(limits),
  directives,
  createdAt: optional(time),
})

export const projectPage: Schema<Page<Project>> = pageOf('a page of projects', project)

/** The members of a project that a body did not name. */
export const projectDefaults = {
  disabled: false,
  requireSecret: false,
  requireJwt: false,
  rules: {},
  secretBypassesRules: false,
  directives: {},
} as const

export function viewProject(kept: ProjectRecord | ConfiguredProject, from: Source): Project {
  const { id: own, name: title, jwtKeys = [] } = kept
  return {
    id: own,
    name: title,
    source: from,
    disabled: kept.disabled ?? false,
    ...(kept.networks && { networks: kept.networks }),
    requireSecret: kept.requireSecret ?? false,
    requireJwt: kept.requireJwt ?? false,
    jwtKeys: jwtKeys.map(viewJwtKey),
    ...(kept.jwtAudience !== undefined && { jwtAudience: kept.jwtAudience }),
    rules: kept.rules ?? {},
    secretBypassesRules: kept.secretBypassesRules ?? false,
    ...(kept.plan !== undefined && { plan: kept.plan }),
    ...(kept.limits && { limits: kept.limits }),
    directives: kept.directives ?? {},
    ...('createdAt' in kept && { createdAt: kept.createdAt }),
  }
}

export function viewJwtKey(kept: Kept): JwtKey {
  const { kid, pem: key, label: own = '', createdAt } = kept
  return { kid, ...factsOf(key), pem: key, label: own, ...(createdAt !== undefined && { createdAt }) }
}

interface Kept {
  readonly kid: string
  readonly pem: string
  readonly label?: string | undefined
  readonly createdAt?: number
}

function factsOf(key: string): Pick<JwtKey, 'alg' | 'fingerprint'> {
  try {
    const { alg, fingerprint } = parseJwtKey({ pem: key })
    return { alg, fingerprint }
  } catch {
    return {}
  }
}
