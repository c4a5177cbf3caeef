import { VerifyError } from '../error.ts'

const quote = 0x22
const colon = 0x3a
const backslash = 0x5c

/**
 * Asserts that every parser reads a JSON text as `value`: no object has a member twice, of which some take the first and others the
 * last, nor two whose names differ in case only, which Go's parser takes for one; nor is one named `__proto__`, which in JavaScript
 * gives a copy members that nobody verified. Source: RFC 8259, section 4.
 * @throws VerifyError `malformed`
 */
export function assertOneReading(text: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (membersWritten(text) !== membersRead(value)) throw malformed('', 'a member stands twice in one object')
}

/** How many members the text has: outside of strings, a colon stands for nothing else. */
function membersWritten(text: string): number {
  let count = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === colon) count++
    else if (c === quote) i = endOfString(text, i)
  }
  return count
}

function endOfString(text: string, start: number): number {
  let i = start + 1
  for (let c = text.charCodeAt(i); c !== quote && i < text.length; c = text.charCodeAt(i)) i += c === backslash ? 2 : 1
  return i
}

/** How many members the value has. It keeps a list of its own: a stranger may nest deeper than calls can. */
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
