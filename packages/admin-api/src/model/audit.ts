import type { AuditEntry as AuditRecord } from '@wayleave/auth'
import { is, optional, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import { count, exact, id, time } from './fields.ts'
import { limit, type Page, pageOf, type PageQuery } from './page.ts'

/** A change of an account. */
export interface AuditEntry {
  readonly seq: number
  /** Unix time in ms. */
  readonly at: number
  /** The name of the token that made it. */
  readonly actor: string
  /** `project.create`, `key.add_secret`, … */
  readonly action: string
  readonly kind: string
  readonly id: string
  /** The project's id; absent for plans. */
  readonly project?: string
  /** The record before; absent where it was made. */
  readonly before?: object
  /** The record after; absent where it was removed. */
  readonly after?: object
}

/** The part of the audit log to list, the newest entries first. */
export interface AuditQuery extends PageQuery {
  readonly project?: string
}

const record = is<object>(
  'a record without digests',
  (value) => typeof value === 'object' && value !== null,
  () => ({ type: 'object' }),
)

export const auditEntry: Schema<AuditEntry> = exact<AuditEntry>('an entry of the audit log', {
  seq: count,
  at: time,
  actor: text('the name of a token'),
  action: text('an action'),
  kind: text('"plan", "project" or "key"'),
  id,
  project: optional(id),
  before: optional(record),
  after: optional(record),
})

export const auditPage: Schema<Page<AuditEntry>> = pageOf('a page of the audit log', auditEntry)
export const auditQuery: Schema<AuditQuery> = exact<AuditQuery>('a part of the audit log', {
  limit: optional(limit),
  after: optional(text('the "next" of the page before', /^\d{1,15}$/)),
  project: optional(id),
})

export function viewEntry({ seq, at, actor, action, kind, id: own, project, before, after }: AuditRecord): AuditEntry {
  return {
    seq,
    at,
    actor,
    action,
    kind,
    id: own,
    ...(project !== undefined && { project }),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  }
}
