import { StoresError } from '../error.ts'
import type { StoredKey, StoredLimits, StoredPlan, StoredProject } from './account.ts'
import type { AccountChange } from './account-feed.ts'
import type { AuditEntry } from './account-store.ts'

/** A 64-bit integer: PostgreSQL gives it as text. */
type BigIntColumn = number | string

/** The tables of `migrations/accounts.ts`, as the newest migration leaves them. Flags are 0 or 1, objects and lists JSON. */
export type AccountTables = {
  /** One row, whose lock makes changes take turns. */
  readonly account_feed: { readonly seq: BigIntColumn }
  readonly account_plans: PlanRow
  readonly account_projects: ProjectRow
  readonly account_keys: KeyRow
  readonly account_key_uses: { readonly key: string; readonly used_at: BigIntColumn }
  readonly account_changes: ChangeRow
  readonly account_audit: AuditRow
}

interface PlanRow {
  readonly id: string
  readonly name: string
  readonly limits: string
  readonly created_at: BigIntColumn
}

interface ProjectRow {
  readonly id: string
  readonly name: string
  readonly disabled: number
  readonly networks: string | null
  readonly require_secret: number
  readonly require_jwt: number
  readonly jwt_keys: string
  readonly jwt_audience: string | null
  readonly rules: string
  readonly secret_bypasses_rules: number
  readonly plan: string | null
  readonly limits: string | null
  readonly directives: string
  readonly created_at: BigIntColumn
}

interface KeyRow {
  readonly id: string
  readonly project: string
  readonly digest: string
  readonly hint: string
  readonly label: string
  readonly expires_at: BigIntColumn | null
  readonly disabled: number
  readonly secrets: string
  readonly plan: string | null
  readonly limits: string | null
  readonly created_at: BigIntColumn
}

export interface ChangeRow {
  readonly seq: BigIntColumn
  readonly kind: string
  readonly id: string
  readonly record: string | null
}

interface AuditRow {
  readonly seq: BigIntColumn
  readonly at: BigIntColumn
  readonly actor: string
  readonly action: string
  readonly kind: string
  readonly id: string
  readonly project: string | null
  readonly before: string | null
  readonly after: string | null
}

/** How records of one kind become rows and are read back. */
export interface Codec<Row, Stored> {
  readonly kind: AuditEntry['kind']
  write(record: Stored): Row
  /** @throws StoresError `corrupt`. */
  read(row: Row): Stored
}

export const planCodec: Codec<PlanRow, StoredPlan> = {
  kind: 'plan',
  read(row) {
    const limits = parse<StoredLimits>(row.limits, `plan "${row.id}"`)
    return { id: row.id, name: row.name, limits, createdAt: Number(row.created_at) }
  },
  write(plan) {
    return { id: plan.id, name: plan.name, limits: JSON.stringify(plan.limits), created_at: plan.createdAt }
  },
}

export const projectCodec: Codec<ProjectRow, StoredProject> = {
  kind: 'project',
  read(row) {
    const what = `project "${row.id}"`
    return {
      id: row.id,
      name: row.name,
      disabled: row.disabled !== 0,
      ...(row.networks === null ? {} : { networks: parse<readonly string[]>(row.networks, what) }),
      requireSecret: row.require_secret !== 0,
      requireJwt: row.require_jwt !== 0,
      jwtKeys: parse(row.jwt_keys, what),
      ...(row.jwt_audience === null ? {} : { jwtAudience: row.jwt_audience }),
      rules: parse(row.rules, what),
      secretBypassesRules: row.secret_bypasses_rules !== 0,
      ...(row.plan === null ? {} : { plan: row.plan }),
      ...(row.limits === null ? {} : { limits: parse<StoredLimits>(row.limits, what) }),
      directives: parse(row.directives, what),
      createdAt: Number(row.created_at),
    }
  },
  write(project) {
    return {
      id: project.id,
      name: project.name,
      disabled: Number(project.disabled),
      networks: textOf(project.networks),
      require_secret: Number(project.requireSecret),
      require_jwt: Number(project.requireJwt),
      jwt_keys: JSON.stringify(project.jwtKeys),
      jwt_audience: project.jwtAudience ?? null,
      rules: JSON.stringify(project.rules),
      secret_bypasses_rules: Number(project.secretBypassesRules),
      plan: project.plan ?? null,
      limits: textOf(project.limits),
      directives: JSON.stringify(project.directives),
      created_at: project.createdAt,
    }
  },
}

export const keyCodec: Codec<KeyRow, StoredKey> = {
  kind: 'key',
  read(row) {
    const what = `key "${row.id}"`
    return {
      id: row.id,
      projectId: row.project,
      digest: row.digest,
      hint: row.hint,
      label: row.label,
      ...(row.expires_at === null ? {} : { expiresAt: Number(row.expires_at) }),
      disabled: row.disabled !== 0,
      secrets: parse(row.secrets, what),
      ...(row.plan === null ? {} : { plan: row.plan }),
      ...(row.limits === null ? {} : { limits: parse<StoredLimits>(row.limits, what) }),
      createdAt: Number(row.created_at),
    }
  },
  write(key) {
    return {
      id: key.id,
      project: key.projectId,
      digest: key.digest,
      hint: key.hint,
      label: key.label,
      expires_at: key.expiresAt ?? null,
      disabled: Number(key.disabled),
      secrets: JSON.stringify(key.secrets),
      plan: key.plan ?? null,
      limits: textOf(key.limits),
      created_at: key.createdAt,
    }
  },
}

/** Reads a change, which keeps the row as it was in its table. @throws StoresError `corrupt`. */
export function changeOf({ seq: number, kind, id, record }: ChangeRow): AccountChange {
  const seq = Number(number)
  const what = `the change ${seq}`
  const row = record === null ? undefined : parse<unknown>(record, what)
  switch (kind) {
    case 'plan':
      if (row === undefined) return { seq, kind: 'plan_removed', planId: id }
      return { seq, kind, plan: planCodec.read(row as PlanRow) }
    case 'project':
      if (row === undefined) return { seq, kind: 'project_removed', projectId: id }
      return { seq, kind, project: projectCodec.read(row as ProjectRow) }
    case 'key':
      if (row === undefined) return { seq, kind: 'key_removed', keyId: id }
      return { seq, kind, key: keyCodec.read(row as KeyRow) }
    default:
      throw new StoresError('corrupt', `${what} is not what was written: its kind is unknown`)
  }
}

export function auditOf(row: AuditRow): AuditEntry {
  const what = `the audit entry ${row.seq}`
  return {
    seq: Number(row.seq),
    at: Number(row.at),
    actor: row.actor,
    action: row.action,
    kind: row.kind as AuditEntry['kind'],
    id: row.id,
    project: row.project ?? undefined,
    before: row.before === null ? undefined : parse(row.before, what),
    after: row.after === null ? undefined : parse(row.after, what),
  }
}

/** A record for the audit log: without digests. */
export function withoutDigests(record: object | undefined): string | null {
  if (record === undefined) return null
  return JSON.stringify(record, (name, value: unknown) => (name === 'digest' ? undefined : value))
}

function textOf(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

/** @throws StoresError `corrupt`. */
function parse<T>(text: string, what: string): T {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as T
  } catch {
    // Told below: the parser's own words would quote the row.
  }
  throw new StoresError('corrupt', `${what} is not what was written: JSON was expected`)
}
