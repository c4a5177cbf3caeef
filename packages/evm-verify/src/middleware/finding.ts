import type { Schema } from '@wayleave/jsonrpc-core/schema'
import type { AnchorKind } from '../anchor.ts'
import { VerifyError } from '../error.ts'
import type { FieldReport, FieldStanding, Verdict } from '../verdict.ts'

/** What a check found, and what it rests on. */
export interface Finding {
  readonly verdict: Verdict
  readonly anchor: AnchorKind
}

/** The finding on null: what it says can be shown of few things. */
export const nothingThere: Finding = unknown('null: nobody can show that something does not exist')

/** Nothing can be told. */
export function unknown(reason: string, fields: FieldReport = {}): Finding {
  return { verdict: { ok: undefined, reason, fields }, anchor: 'none' }
}

/** The whole answer is proven. */
export function proven(anchor: AnchorKind, fields: FieldReport = { '': 'proven' }): Finding {
  return { verdict: { ok: true, level: 'proven', fields }, anchor }
}

/** The answer is false. */
export function wrong(field: string, reason: string, anchor: AnchorKind = 'none'): Finding {
  return { verdict: { ok: false, field, reason }, anchor }
}

/** The finding with more members of one standing, those that it reports. */
export function withStanding({ verdict, anchor }: Finding, names: readonly string[], standing: FieldStanding): Finding {
  if (verdict.ok !== true) return { verdict, anchor }
  const fields = { ...verdict.fields }
  for (const name of names) if (Object.hasOwn(fields, name)) fields[name] = standing
  return { verdict: { ...verdict, fields }, anchor }
}

/** A finding where the form is wrong. */
export function malformed<T>(schema: Schema<T>, answer: unknown): Finding | undefined {
  const issue = schema.check(answer, '')
  if (issue === undefined) return undefined
  const path = issue.path.replace(/^\./, '')
  return wrong(path, `${path === '' ? 'the answer' : path}: expected ${issue.expected}, got ${issue.received}`)
}

/** The error for what cannot be proven. */
export function unproven(reason: string): VerifyError {
  return new VerifyError('unproven', '', reason)
}
