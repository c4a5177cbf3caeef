import { describeValue } from '@wayleave/jsonrpc-core/schema'
import { isRecord, isSameHex, type Refusal, refuse } from './refusal.ts'
import type { FieldReport } from './verdict.ts'

/**
 * Finds the first member in which an answer contradicts a verified answer to the same question, by the report on the verified one.
 * Members that either answer lacks, or that the report calls unverifiable, contradict nothing; numbers may be padded.
 */
export function contradictionOf(
  claimed: unknown,
  verified: unknown,
  fields: FieldReport,
  path: string = '',
): Refusal | undefined {
  if (claimed == null || verified == null) return undefined
  if (fields[path.replace(/(^|\.)\d+(?=\.|$)/g, '$1*')] === 'unverifiable') return undefined
  const names = namesInBoth(claimed, verified)
  if (names === undefined) return isSame(claimed, verified) ? undefined : refuseValue(path, verified, claimed)
  for (const name of names) {
    const [one, other] = [claimed, verified].map((value) => (value as Readonly<Record<string, unknown>>)[name])
    const found = contradictionOf(one, other, fields, path === '' ? name : `${path}.${name}`)
    if (found !== undefined) return found
  }
  return undefined
}

/** The names or indexes to compare; undefined if the values must be compared themselves. */
function namesInBoth(claimed: unknown, verified: unknown): readonly string[] | undefined {
  if (Array.isArray(claimed) && Array.isArray(verified)) {
    return claimed.length === verified.length ? Object.keys(verified) : undefined
  }
  if (!isRecord(claimed) || !isRecord(verified)) return undefined
  return Object.keys(verified).filter((name) => Object.hasOwn(claimed, name))
}

function refuseValue(path: string, verified: unknown, claimed: unknown): Refusal {
  return refuse(path, `${path}: expected ${describeValue(verified)}, got ${describeValue(claimed)}`)
}

function isSame(claimed: unknown, verified: unknown): boolean {
  if (typeof verified !== 'string' || typeof claimed !== 'string') return claimed === verified
  return (
    isSameHex(claimed, verified) || (isNumber(claimed) && isNumber(verified) && BigInt(claimed) === BigInt(verified))
  )
}

function isNumber(text: string): text is `0x${string}` {
  return /^0x[\da-f]{1,64}$/i.test(text)
}
