/** How the answers of different nodes to calls of one method are compared. */
export interface ComparisonRules {
  /** Members whose value is a hex quantity, so that `0x0a` is `0xa`; the empty name stands for the answer itself. Default: none. */
  readonly quantities?: ReadonlySet<string>
  /** Members that must be there in both or in none. Any other one must be equal only where both have it. Default: all must. */
  readonly required?: ReadonlySet<string>
  /** Members in which honest nodes differ. Default: none. */
  readonly free?: ReadonlySet<string>
}

/**
 * How much two answers agree. `same`: they say the same, whatever the order of members and the case of hex digits, and whether a member
 * is null or missing. `alike`: they differ only where the rules let honest nodes differ.
 */
export type Likeness = 'same' | 'alike' | 'different'

/** Deeper values are not compared: no node has them. */
const mostLevels = 256
const hex = /^0x[\da-f]*$/i
const leadingZeros = /^0x0+(?=[\da-f])/

/** Compares two parsed JSON values. */
export function likenessOf(a: unknown, b: unknown, rules: ComparisonRules): Likeness {
  return compare(a, b, '', rules, 0)
}

function compare(a: unknown, b: unknown, member: string, rules: ComparisonRules, level: number): Likeness {
  if (a === b) return 'same'
  if (level > mostLevels) return 'different'
  if (typeof a === 'string' && typeof b === 'string') return alikeText(a, b, member, rules) ? 'same' : 'different'
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return 'different'
  if (Array.isArray(a) !== Array.isArray(b)) return 'different'
  return Array.isArray(a)
    ? compareLists(a, b as readonly unknown[], member, rules, level)
    : compareMembers(a as Members, b as Members, rules, level)
}

type Members = Readonly<Record<string, unknown>>

function compareLists(
  a: readonly unknown[],
  b: readonly unknown[],
  member: string,
  rules: ComparisonRules,
  level: number,
): Likeness {
  if (a.length !== b.length) return 'different'
  let likeness: Likeness = 'same'
  for (let i = 0; i < a.length; i++) {
    const one = compare(a[i], b[i], member, rules, level + 1)
    if (one === 'different') return one
    if (one === 'alike') likeness = one
  }
  return likeness
}

function compareMembers(a: Members, b: Members, rules: ComparisonRules, level: number): Likeness {
  let likeness: Likeness = 'same'
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const one = compareMember(name, own(a, name), own(b, name), rules, level)
    if (one === 'different') return one
    if (one === 'alike') likeness = one
  }
  return likeness
}

function compareMember(name: string, a: unknown, b: unknown, rules: ComparisonRules, level: number): Likeness {
  const { required, free } = rules
  const isMissing = (a === null) !== (b === null)
  if (isMissing) return required === undefined || required.has(name) ? 'different' : 'alike'
  const likeness = compare(a, b, name, rules, level + 1)
  return likeness === 'different' && free?.has(name) === true ? 'alike' : likeness
}

/** Reads a member; one that is missing is null. */
function own(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : null
}

function alikeText(a: string, b: string, member: string, { quantities }: ComparisonRules): boolean {
  if (!hex.test(a) || !hex.test(b)) return false
  const [x, y] = [a.toLowerCase(), b.toLowerCase()]
  return (
    x === y || (quantities?.has(member) === true && x.replace(leadingZeros, '0x') === y.replace(leadingZeros, '0x'))
  )
}

/**
 * Whether every JSON reader reads `text` as `value`: no object has a member twice, be it in another case. Some readers take the first of
 * them and some the last, some compare names without case.
 */
export function hasOneReading(text: string, value: unknown): boolean {
  const read = membersRead(value)
  return read !== undefined && read === membersWritten(text)
}

/** Counts the members of all objects of a text: each has one colon outside of strings. */
function membersWritten(text: string): number {
  let count = 0
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === 0x3a) count++
    if (char !== 0x22) continue
    do i = text.indexOf('"', i + 1)
    while (i !== -1 && isEscaped(text, i))
    if (i === -1) return Number.NaN
  }
  return count
}

/** Whether the character at `i` follows an odd number of backslashes. */
function isEscaped(text: string, i: number): boolean {
  let from = i
  while (text.charCodeAt(from - 1) === 0x5c) from--
  return (i - from) % 2 === 1
}

/** Counts the members of all objects of a value; undefined where two of one object differ in case alone, or it is too deep. */
function membersRead(value: unknown, level = 0): number | undefined {
  if (typeof value !== 'object' || value === null) return 0
  if (level > mostLevels) return undefined
  const isList = Array.isArray(value)
  let count = 0
  if (!isList) {
    const names = Object.keys(value)
    if (new Set(names.map((name) => name.toLowerCase())).size < names.length) return undefined
    count = names.length
  }
  for (const inner of isList ? (value as readonly unknown[]) : Object.values(value)) {
    const more = membersRead(inner, level + 1)
    if (more === undefined) return undefined
    count += more
  }
  return count
}
