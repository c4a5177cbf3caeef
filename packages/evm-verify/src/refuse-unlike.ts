import { describeValue } from '@wayleave/jsonrpc-core/schema'
import { isRecord, isSameHex, type Refusal, refuse } from './refusal.ts'
import type { FieldReport } from './verdict.ts'

/**
 * Refuses an answer that differs from the proven value `must`, in members that the report does not call unverifiable.
 * The case of hex digits does not matter, and null equals absent.
 */
export function refuseUnlike(
  claimed: unknown,
  must: unknown,
  fields: FieldReport,
  path: string = '',
): Refusal | undefined {
  if (fields[path.replace(/(^|\.)\d+(?=\.|$)/g, '$1*')] === 'unverifiable') return undefined
  const within = (name: string | number): Refusal | undefined =>
    refuseUnlike(memberOf(claimed, name), memberOf(must, name), fields, path === '' ? `${name}` : `${path}.${name}`)
  if (Array.isArray(must) && Array.isArray(claimed) && claimed.length === must.length) {
    return firstOf(must.keys(), within)
  }
  if (isRecord(must) && isRecord(claimed)) {
    return firstOf(new Set([...Object.keys(must), ...Object.keys(claimed)]), within)
  }
  const same = typeof must === 'string' ? isSameHex(claimed, must) : (claimed ?? null) === (must ?? null)
  return same ? undefined : refuse(path, `${path}: expected ${describeValue(must)}, got ${describeValue(claimed)}`)
}

function memberOf(value: unknown, name: string | number): unknown {
  return (value as Readonly<Record<string | number, unknown>>)[name]
}

function firstOf<T>(names: Iterable<T>, find: (name: T) => Refusal | undefined): Refusal | undefined {
  for (const name of names) {
    const found = find(name)
    if (found !== undefined) return found
  }
  return undefined
}
