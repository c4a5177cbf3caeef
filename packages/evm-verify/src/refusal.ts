import { describeValue } from '@wayleave/jsonrpc-core/schema'
import type { FieldLevel, Verdict } from './verdict.ts'

/** The verdict on a false answer. */
export type Refusal = Extract<Verdict, { ok: false }>

/** Levels by path, while a check collects them. */
export type FieldLevels = Record<string, FieldLevel>

/** The refusal of an answer whose `field` is false. */
export function refuse(field: string, reason: string): Refusal {
  return { ok: false, reason, field }
}

/** A refusal of an element, as one of the list that holds it at `path`. */
export function refuseUnder(path: string | number, { field, reason }: Refusal): Refusal {
  return refuse(`${path}.${field}`, `${path}.${reason}`)
}

/** The refusal if `claimed` is not the text `must`; the case of hex digits does not matter. */
export function refuseOther(field: string, claimed: unknown, must: string): Refusal | undefined {
  return isSameHex(claimed, must)
    ? undefined
    : refuse(field, `${field}: expected ${describeValue(must)}, got ${describeValue(claimed)}`)
}

/** Equal texts, where the case of digits carries no meaning. */
export function isSameHex(claimed: unknown, other: string): boolean {
  if (claimed === other) return true
  return typeof claimed === 'string' && claimed.startsWith('0x') && claimed.toLowerCase() === other.toLowerCase()
}

/** Any object but an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Notes the level of a member; if elements differ, the weakest stays. */
export function note(levels: FieldLevels, path: string, level: FieldLevel): void {
  const before = levels[path]
  if (before === undefined || strength[level] < strength[before]) levels[path] = level
}

const strength = { unverifiable: 0, consistent: 1, proven: 2 }
