import { endOfString } from '@wayleave/jsonrpc-core'
import { VerifyError } from './error.ts'

const quote = 0x22
const colon = 0x3a

/**
 * Asserts that every JSON parser reads `text` as `value`. No object may have a member twice, because some parsers take the
 * first and others the last. No two names may differ only in case, because Go's parser takes them for one. No member may
 * be named `__proto__`, which in JavaScript gives a copy members that nobody verified. Source: RFC 8259, section 4.
 * @throws VerifyError `malformed`
 */
export function assertOneReading(text: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (membersWritten(text) !== membersRead(value)) throw malformed('', 'a member stands twice in one object')
}

/** Counts the members in the text: each has one colon outside of strings. */
function membersWritten(text: string): number {
  let count = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === colon) count++
    else if (c === quote) {
      const end = endOfString(text, i)
      if (end < 0) break
      i = end - 1
    }
  }
  return count
}

/** Counts the members of the value. Without recursion: the answer may nest deeper than the stack allows. */
function membersRead(value: object): number {
  let count = 0
  const rest: object[] = [value]
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (!Array.isArray(next)) {
      const names = Object.keys(next)
      count += names.length
      assertDistinct(names)
    }
    for (const member of Object.values(next)) if (typeof member === 'object' && member !== null) rest.push(member)
  }
  return count
}

function assertDistinct(names: readonly string[]): void {
  const seen = new Set<string>()
  for (const name of names) {
    if (name === '__proto__')
      throw malformed(name, `${name}: no member of an answer, but what JavaScript copies it to is changed`)
    const key = name.toLowerCase()
    if (seen.has(key)) throw malformed(name, `${name}: stands twice in one object, in other case`)
    seen.add(key)
  }
}

function malformed(field: string, message: string): VerifyError {
  return new VerifyError('malformed', field, message)
}
