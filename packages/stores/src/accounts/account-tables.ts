import { StoresError } from '../error.ts'
import type { JsonObject, StoredKey, StoredPlan, StoredProject } from './account.ts'
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
  readonly plan: string | null
  readonly disabled: number
  readonly require_secret: number
  readonly require_jwt: number
  readonly secret_overrides_rules: number
  readonly rules: string
  readonly limits: string | null
  readonly settings: string
  readonly jwt_keys: string
  readonly created_at: BigIntColumn
}

interface KeyRow {
  readonly id: string
  readonly project: string
  readonly digest: string
  readonly hint: string
  readonly label: string
  readonly disabled: number
  readonly expires_at: BigIntColumn | null
  readonly limits: string | null
  readonly secrets: string
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

export function planOf(row: PlanRow): StoredPlan {
  const limits = parse<JsonObject>(row.limits, `plan "${row.id}"`)
  return { id: row.id, name: row.name, limits, createdAt: Number(row.created_at) }
}

export function planRow(plan: StoredPlan): PlanRow {
  return { id: plan.id, name: plan.name, limits: JSON.stringify(plan.limits), created_at: plan.createdAt }
}

export function projectOf(row: ProjectRow): StoredProject {
  const what = `project "${row.id}"`
  return {
    id: row.id,
    name: row.name,
    plan: row.plan ?? undefined,
    disabled: row.disabled !== 0,
    requireSecret: row.require_secret !== 0,
    requireJwt: row.require_jwt !== 0,
    secretOverridesRules: row.secret_overrides_rules !== 0,
    rules: parse(row.rules, what),
    limits: row.limits === null ? undefined : parse(row.limits, what),
    settings: parse(row.settings, what),
    jwtKeys: parse(row.jwt_keys, what),
    createdAt: Number(row.created_at),
  }
}

export function projectRow(project: StoredProject): ProjectRow {
  return {
    id: project.id,
    name: project.name,
    plan: project.plan ?? null,
    disabled: Number(project.disabled),
    require_secret: Number(project.requireSecret),
    require_jwt: Number(project.requireJwt),
    secret_overrides_rules: Number(project.secretOverridesRules),
    rules: JSON.stringify(project.rules),
    limits: project.limits === undefined ? null : JSON.stringify(project.limits),
    settings: JSON.stringify(project.settings),
    jwt_keys: JSON.stringify(project.jwtKeys),
    created_at: project.createdAt,
  }
}

export function keyOf(row: KeyRow): StoredKey {
  const what = `key "${row.id}"`
  return {
    id: row.id,
    project: row.project,
    digest: row.digest,
    hint: row.hint,
    label: row.label,
    disabled: row.disabled !== 0,
    expiresAt: row.expires_at === null ? undefined : Number(row.expires_at),
    limits: row.limits === null ? undefined : parse(row.limits, what),
    // JSON leaves out what is undefined.
    secrets: parse<StoredKey['secrets']>(row.secrets, what).map((secret) => ({
      ...secret,
      expiresAt: secret.expiresAt,
    })),
    createdAt: Number(row.created_at),
  }
}

export function keyRow(key: StoredKey): KeyRow {
  return {
    id: key.id,
    project: key.project,
    digest: key.digest,
    hint: key.hint,
    label: key.label,
    disabled: Number(key.disabled),
    expires_at: key.expiresAt ?? null,
    limits: key.limits === undefined ? null : JSON.stringify(key.limits),
    secrets: JSON.stringify(key.secrets),
    created_at: key.createdAt,
  }
}

/** Reads a change, which keeps the row as it was in its table. @throws StoresError `corrupt`. */
export function changeOf({ seq, kind, id, record }: ChangeRow): AccountChange {
  const what = `the change ${seq}`
  const row = record === null ? undefined : parse<unknown>(record, what)
  const place = { seq: Number(seq), id }
  switch (kind) {
    case 'plan':
      return { ...place, kind, record: row === undefined ? undefined : planOf(row as PlanRow) }
    case 'project':
      return { ...place, kind, record: row === undefined ? undefined : projectOf(row as ProjectRow) }
    case 'key':
      return { ...place, kind, record: row === undefined ? undefined : keyOf(row as KeyRow) }
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
