import type { Schema } from '@wayleave/jsonrpc-core/schema'
import type { AnchorKind } from '../anchor.ts'
import { VerifyError } from '../error.ts'
import type { FieldReport, FieldLevel, Verdict } from '../verdict.ts'

/** The result of a check, and the anchor it rests on. */
export interface Finding {
  readonly verdict: Verdict
  readonly anchor: AnchorKind
  /** Whether it was seen that every JSON parser reads the answer alike. Default: not yet. */
  readonly isRead?: boolean
}

/** The finding on null: few checks can show that something does not exist. */
export const nothingThere: Finding = unknown('null: nobody can show that something does not exist')

/** Nothing can be verified. */
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

/** The finding with another level for those of the named members that it reports. */
export function withLevel({ verdict, anchor }: Finding, names: readonly string[], level: FieldLevel): Finding {
  if (verdict.ok !== true) return { verdict, anchor }
  const fields = { ...verdict.fields }
  for (const name of names) if (Object.hasOwn(fields, name)) fields[name] = level
  return { verdict: { ...verdict, fields }, anchor }
}

/** The finding on an answer of the wrong form; undefined if the form is right. */
export function malformed<T>(schema: Schema<T>, answer: unknown): Finding | undefined {
  const issue = schema.check(answer, '')
  if (issue === undefined) return undefined
  const path = issue.path.replace(/^\./, '')
  return wrong(path, `${path === '' ? 'the answer' : path}: expected ${issue.expected}, got ${issue.received}`)
}

/** The way to a proof of what is named by no hash. */
export const giveAnchor = "give an anchor, such as verify: { require: 'proven', anchor: { blockHash: '0x…' } }"

/** The error of a check that cannot prove its answer. */
export function unproven(reason: string): VerifyError {
  return new VerifyError('unproven', '', reason)
}
