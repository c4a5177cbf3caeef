import { describeValue } from '@wayleave/jsonrpc-core/schema'
import type { FieldStanding, Verdict } from './verdict.ts'

/** What is false. */
export type Refusal = Extract<Verdict, { ok: false }>

/** Standings by path, while they are found. */
export type Standings = Record<string, FieldStanding>

/** A refusal that `field` shows. */
export function refuse(field: string, reason: string): Refusal {
  return { ok: false, reason, field }
}

/** A refusal where `claimed` is not what it must be: one text, whatever the case of its digits. */
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

/** Notes what is known of a member; where elements differ, the weakest stays. */
export function note(standings: Standings, path: string, standing: FieldStanding): void {
  const before = standings[path]
  if (before === undefined || strength[standing] < strength[before]) standings[path] = standing
}

const strength = { unverifiable: 0, consistent: 1, proven: 2 }
