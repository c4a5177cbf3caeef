import type { RuleEntries } from '@wayleave/auth'
import type { Plan as Limits } from '@wayleave/metering'
import type { GasPort } from './gas-port.ts'
import type { MethodPort } from './method-port.ts'
import type { PinPort } from './pin-port.ts'
import type { ReplayPort } from './replay-port.ts'
import type { StreamPort } from './stream-port.ts'
import type { AdminEvents } from './events.ts'
import type { LiveCallQuery } from './model/live-call.ts'
import type { TrafficPoint, TrafficStep } from './model/traffic.ts'

/** A plan as the store keeps it. Times are Unix times in ms, here and below. */
export interface PlanRecord {
  readonly id: string
  readonly name: string
  readonly limits: Limits
  readonly createdAt: number
}

/** A project as the store keeps it. */
export interface ProjectRecord {
  readonly id: string
  readonly name: string
  readonly disabled: boolean
  readonly networks?: readonly string[]
  readonly requireSecret: boolean
  readonly requireJwt: boolean
  readonly jwtKeys: readonly JwtKeyRecord[]
  readonly jwtAudience?: string
  readonly rules: RuleEntries
  readonly secretBypassesRules: boolean
  readonly plan?: string
  readonly limits?: Limits
  readonly directives: Readonly<Record<string, string>>
  readonly createdAt: number
}

/** A public key of a project as the store keeps it. */
interface JwtKeyRecord {
  readonly kid: string
  readonly pem: string
  readonly label: string
  readonly createdAt: number
}

/** A key as the store keeps it, by digest. */
export interface KeyRecord {
  readonly id: string
  readonly projectId: string
  readonly digest: string
  readonly hint: string
  readonly label: string
  readonly expiresAt?: number
  readonly disabled: boolean
  readonly secrets: readonly SecretRecord[]
  readonly plan?: string
  readonly limits?: Limits
  readonly createdAt: number
}

/** A secret as the store keeps it, by digest. */
export interface SecretRecord {
  readonly id: string
  readonly digest: string
  readonly hint: string
  readonly label: string
  readonly expiresAt?: number
  readonly createdAt: number
}

/** Members to set; undefined takes an optional one away. */
type Changes<T> = {
  readonly [Name in keyof T]?: object extends Pick<T, Name> ? T[Name] | undefined : T[Name]
}
export type ProjectChanges = Changes<Omit<ProjectRecord, 'id' | 'jwtKeys' | 'createdAt'>>
type KeyChanges = Changes<Pick<KeyRecord, 'label' | 'expiresAt' | 'disabled' | 'plan' | 'limits'>>

/** The author of a change, and when it was made. */
export interface Author {
  /** The name of the admin token. */
  readonly actor: string
  readonly at: number
}

export interface StorePage {
  readonly after?: string | undefined
  readonly limit: number
}

/** An entry of the audit log as the store keeps it, without digests. */
export interface AuditRecord extends Author {
  readonly seq: number
  readonly action: string
  readonly kind: string
  readonly id: string
  readonly project: string | undefined
  readonly before: object | undefined
  readonly after: object | undefined
}

/** The part of a store of accounts that this API uses; that of `@wayleave/stores` fits. A change is durable when its promise resolves. */
export interface AccountPort {
  snapshot(): Promise<{
    readonly plans: readonly PlanRecord[]
    readonly projects: readonly ProjectRecord[]
    readonly keys: readonly KeyRecord[]
  }>
  plans(page: StorePage): Promise<readonly PlanRecord[]>
  putPlan(plan: Pick<PlanRecord, 'id' | 'name' | 'limits'>, by: Author): Promise<PlanRecord>
  removePlan(id: string, by: Author): Promise<void>
  project(id: string): Promise<ProjectRecord | undefined>
  projects(page: StorePage): Promise<readonly ProjectRecord[]>
  createProject(project: Pick<ProjectRecord, 'id' | 'name'> & ProjectChanges, by: Author): Promise<ProjectRecord>
  updateProject(id: string, changes: ProjectChanges, by: Author): Promise<ProjectRecord>
  removeProject(id: string, by: Author): Promise<void>
  addJwtKey(
    projectId: string,
    key: Pick<JwtKeyRecord, 'kid' | 'pem'> & { readonly label?: string },
    by: Author,
  ): Promise<ProjectRecord>
  removeJwtKey(projectId: string, kid: string, by: Author): Promise<ProjectRecord>
  key(id: string): Promise<KeyRecord | undefined>
  keys(projectId: string, page: StorePage): Promise<readonly KeyRecord[]>
  createKey(key: Pick<KeyRecord, 'id' | 'projectId' | 'digest' | 'hint'> & KeyChanges, by: Author): Promise<KeyRecord>
  updateKey(id: string, changes: KeyChanges, by: Author): Promise<KeyRecord>
  removeKey(id: string, by: Author): Promise<void>
  addSecret(
    keyId: string,
    secret: Pick<SecretRecord, 'id' | 'digest' | 'hint'> & Changes<Pick<SecretRecord, 'label' | 'expiresAt'>>,
    by: Author,
    options?: { readonly othersExpireAt?: number },
  ): Promise<KeyRecord>
  removeSecret(keyId: string, secretId: string, by: Author): Promise<KeyRecord>
  lastUsed(keyIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  audit(options: {
    readonly project?: string | undefined
    readonly before?: number | undefined
    readonly limit: number
  }): Promise<readonly AuditRecord[]>
}

export type UsageDimension = 'project' | 'key' | 'network' | 'method' | 'status'
export type UsagePeriod = 'minute' | 'hour' | 'day'

/** The part of a store of usage that this API reads; that of `@wayleave/stores` fits. */
export interface UsagePort {
  query(query: {
    readonly period: UsagePeriod
    readonly from: number
    readonly to: number
    readonly where?: Readonly<Partial<Record<UsageDimension, string>>>
    readonly by: readonly (UsageDimension | 'at')[]
    readonly limit: number
  }): Promise<readonly UsageRecord[]>
}

export interface UsageRecord extends Readonly<Partial<Record<UsageDimension, string>>> {
  readonly at?: number
  readonly calls: number
  readonly credits: number
}

/** A network as the process sees it now. */
export interface NetworkRecord {
  readonly name: string
  readonly upstreams: readonly UpstreamRecord[]
}

export interface UpstreamRecord {
  readonly name: string
  /** Whether it may be asked now. */
  readonly isUp: boolean
  /** Why it may not. */
  readonly reason?: string | undefined
  /** Why an operator has it left alone. */
  readonly cordoned?: string | undefined
  /** The number of its latest block. */
  readonly head?: number | undefined
  /** Blocks behind the others. */
  readonly lag?: number | undefined
}

/** The networks that a gateway serves. */
export interface NetworkPort {
  list(): readonly NetworkRecord[] | Promise<readonly NetworkRecord[]>
  /** Has an upstream left alone for the reason given, or used again where it is undefined; false where there is no such upstream. */
  cordon(network: string, upstream: string, reason: string | undefined, by: Author): boolean | Promise<boolean>
}

/** The traffic of a gateway, as it counts it. */
export interface TrafficPort {
  /** Unix time in ms from which on it counts. */
  readonly since: number
  /** Returns the steps that begin from `from` on and before `to`, the oldest first. */
  points(step: TrafficStep, from: number, to: number): readonly TrafficPoint[]
}

/** The calls of a gateway, as they end. */
export interface CallPort {
  /** Makes a stream of the calls that are wanted, in events `calls` and `dropped`; undefined where as many as may be are open. */
  live(wanted: LiveCallQuery): AdminEvents | undefined
}

/** A process of a gateway. */
export interface ProcessRecord {
  /** `host:pid`. */
  readonly process: string
  /** Unix time in ms. */
  readonly startedAt: number
  /** Empty where it is not known. */
  readonly version: string
  /** Its workers that serve; absent where it serves alone. */
  readonly workers?: number | undefined
}

/** The processes that a gateway knows. */
export interface ProcessPort {
  list(): readonly ProcessRecord[]
}

/** The parts of a running gateway that routes ask. Those of a part that is absent answer 404; of `pins`, 503. */
export interface GatewayPorts {
  readonly networks?: NetworkPort | undefined
  readonly traffic?: TrafficPort | undefined
  readonly calls?: CallPort | undefined
  readonly processes?: ProcessPort | undefined
  readonly gas?: GasPort | undefined
  readonly streams?: StreamPort | undefined
  readonly pins?: PinPort | undefined
  readonly methods?: MethodPort | undefined
  readonly replay?: ReplayPort | undefined
}

/** The accounts of the configuration: listed, and read-only. */
export interface ConfiguredAccounts {
  readonly plans?: readonly Pick<PlanRecord, 'id' | 'name' | 'limits'>[]
  readonly projects: readonly ConfiguredProject[]
}

export interface ConfiguredProject extends Changes<Omit<ProjectRecord, 'id' | 'name' | 'jwtKeys' | 'createdAt'>> {
  readonly id: string
  readonly name: string
  readonly jwtKeys?: readonly { readonly kid: string; readonly pem: string; readonly label?: string | undefined }[]
  readonly keys: readonly ConfiguredKey[]
}

export interface ConfiguredKey {
  readonly id: string
  /** Lower-case hex SHA-256 of the key. */
  readonly digest: string
  readonly hint?: string | undefined
  readonly label?: string | undefined
  readonly expiresAt?: number | undefined
  readonly disabled?: boolean | undefined
}
