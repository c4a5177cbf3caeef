import { type AuditEntry, keyFields, planFields, projectFields } from '@wayleave/auth'
import { StoresError } from '../error.ts'
import type { StoredKey, StoredPlan, StoredProject } from './account.ts'
import type { AccountChange } from './account-feed.ts'
import { type BigIntColumn, type Codec, codecOf, parse, type RowOf } from './record-codec.ts'

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

type PlanRow = RowOf<typeof planFields>
type ProjectRow = RowOf<typeof projectFields>
type KeyRow = RowOf<typeof keyFields>

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

export const planCodec: Codec<PlanRow, StoredPlan> = codecOf('plan', planFields)
export const projectCodec: Codec<ProjectRow, StoredProject> = codecOf('project', projectFields)
export const keyCodec: Codec<KeyRow, StoredKey> = codecOf('key', keyFields)

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
