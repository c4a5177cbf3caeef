import { expect } from 'vitest'
import type { FieldReport, FieldLevel, Verdict } from '../src/index.ts'

/** A genuine answer with one member changed. */
export interface Mutation {
  /** The changed member, and how it was changed: `transactions.3.value: plus one`. */
  readonly name: string
  /** The pattern of the changed member: `transactions.*.value`. */
  readonly path: string
  readonly answer: unknown
}

export interface MutationOptions {
  /** Patterns of members that some nodes leave out or send as null: their absence is another spelling, no change. */
  readonly mayLack?: readonly string[]
  /** Last steps of paths whose numbers some nodes pad with zeros: padding is no change. Default `r` and `s`. */
  readonly padded?: readonly string[]
  /** How many elements of a longer array are changed, first and last among them. Default 4. */
  readonly elements?: number
}

type Path = readonly string[]
type Change = readonly [path: Path, how: string, answer: unknown]

interface Rules {
  /** Whether the path itself, what is above or what is below it is proven or consistent. */
  readonly isCovered: (path: Path) => boolean
  readonly mayLack: ReadonlySet<string>
  readonly padded: ReadonlySet<string>
  readonly elements: number
}

/**
 * Every change of a single member that the report calls proven or consistent. A path of the report covers what is below it, unless a
 * longer one says otherwise; an array is covered by what covers its elements, too. The case of hex digits is no change.
 */
export function* mutationsOf(answer: unknown, fields: FieldReport, options: MutationOptions = {}): Generator<Mutation> {
  const { mayLack = [], padded = ['r', 's'], elements = 4 } = options
  const rules = { isCovered: coverage(fields), mayLack: new Set(mayLack), padded: new Set(padded), elements }
  for (const [path, how, changed] of changesOf(answer, [], rules)) {
    yield { name: `${path.join('.')}: ${how}`, path: patternOf(path), answer: changed }
  }
}

/**
 * Asserts that a genuine answer is not refused, and that each of its {@link mutationsOf} is. Another `type` may make a thing
 * unverifiable instead. Returns how many were tried.
 */
export function expectMutationsRefused(
  answer: unknown,
  verify: (answer: unknown) => Verdict,
  options: MutationOptions = {},
): number {
  const verdict = verify(answer)
  if (verdict.ok === false) throw new Error(`the genuine answer was refused: ${verdict.field}: ${verdict.reason}`)
  const passed: string[] = []
  let tried = 0
  for (const mutation of mutationsOf(answer, verdict.fields, options)) {
    tried++
    const { ok } = verify(mutation.answer)
    // The whole may be replaced by what has no type, too.
    const mayBeUnknown = mutation.path === '' || mutation.path === 'type' || mutation.path.endsWith('.type')
    if (ok === true || (ok === undefined && !mayBeUnknown)) passed.push(`${mutation.name} (${ok})`)
  }
  expect(passed).toEqual([])
  return tried
}

/**
 * Asserts that nothing that was added to an answer passes as proven or consistent: members that other objects in it have, and `more`,
 * with values that are never true. Returns how many were tried.
 */
export function expectAdditionsUncovered(
  answer: unknown,
  verify: (answer: unknown) => Verdict,
  more: readonly string[] = [],
): number {
  const names = new Set([...namesIn(answer), ...more])
  const untrue = `0x${'ee'.repeat(32)}`
  const entry = Object.fromEntries([...names].map((name) => [name, untrue]))
  const values = [untrue, '0x77', [{ ...entry, address: `0x${'ee'.repeat(20)}`, storageKeys: [] }]]
  const passed: string[] = []
  let tried = 0
  for (const added of values) {
    const below = typeof added === 'string' ? [] : Object.keys(added[0]!).map((name) => ['0', name])
    for (const [path, name, changed] of additionsTo(answer, [], names, added)) {
      tried++
      const verdict = verify(changed)
      if (verdict.ok === false) continue
      for (const rest of [[], ...below]) {
        const at = patternOf([...path, name, ...rest])
        if (isStrong(nearest(at, verdict.fields))) passed.push(at)
      }
    }
  }
  expect(passed).toEqual([])
  return tried
}

/** The value with a member more in one object, that of each place in turn. */
function* additionsTo(value: unknown, path: Path, names: ReadonlySet<string>, added: unknown): Generator<Change> {
  if (Array.isArray(value)) {
    for (const i of elementsOf(value, 3)) {
      for (const [where, name, changed] of additionsTo(value[i], [...path, String(i)], names, added)) {
        yield [where, name, value.with(i, changed)]
      }
    }
  } else if (isObject(value)) {
    for (const name of names) if (!Object.hasOwn(value, name)) yield [path, name, { ...value, [name]: added }]
    for (const [member, below] of Object.entries(value)) {
      for (const [where, name, changed] of additionsTo(below, [...path, member], names, added)) {
        yield [where, name, { ...value, [member]: changed }]
      }
    }
  }
}

function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  return isObject(value) ? Object.entries(value).flatMap(([name, member]) => [name, ...namesIn(member)]) : []
}

/** The changes of a value and of what is below it, each with the whole value that it makes. */
function* changesOf(value: unknown, path: Path, rules: Rules): Generator<Change> {
  const spelling = spellingOf(value, path, rules)
  const isList = Array.isArray(value)
  const beside = [
    ...(rules.isCovered(path) ? valuesBeside(value) : []),
    ...(isList && rules.isCovered([...path, '*']) ? arraysBeside(value) : []),
  ]
  for (const [how, other] of beside) {
    const isAbsence = (other === null || (isList && Array.isArray(other) && other.length === 0)) && path.length > 0
    if (isAbsence && rules.mayLack.has(patternOf(path))) continue
    if (spellingOf(other, path, rules) !== spelling) yield [path, how, other]
  }
  if (isList) {
    for (const i of elementsOf(value, rules.elements)) {
      for (const [where, how, changed] of changesOf(value[i], [...path, String(i)], rules)) {
        yield [where, how, value.with(i, changed)]
      }
    }
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const at = [...path, name]
      if (rules.isCovered(at) && !rules.mayLack.has(patternOf(at))) {
        const { [name]: _, ...rest } = value
        yield [at, 'removed', rest]
      }
      for (const [where, how, changed] of changesOf(member, at, rules)) {
        yield [where, how, { ...value, [name]: changed }]
      }
    }
  }
}

/** Other values that may stand where one stands. */
function* valuesBeside(value: unknown): Generator<readonly [string, unknown]> {
  yield ['null', null]
  yield ['a number', 7]
  yield ['an empty object', {}]
  yield ['an empty array', []]
  yield ['no digits', '0x']
  yield ['zero', '0x0']
  if (typeof value === 'boolean') yield ['the opposite', !value]
  if (typeof value === 'number') yield ['plus one', value + 1]
  if (value === null) {
    yield ['an address', `0x${'ab'.repeat(20)}`]
    yield ['a hash', `0x${'ab'.repeat(32)}`]
    yield ['a quantity', '0x1']
  }
  if (typeof value !== 'string') return
  yield ['a letter more', `${value}g`]
  if (!/^0x[0-9a-f]*$/i.test(value)) return
  const digits = value.slice(2)
  for (const i of new Set([0, digits.length >> 1, digits.length - 1])) {
    if (i < 0 || i >= digits.length) continue
    const digit = (parseInt(digits[i]!, 16) ^ 1).toString(16)
    yield [`digit ${i} flipped`, `0x${digits.slice(0, i)}${digit}${digits.slice(i + 1)}`]
  }
  const more = (BigInt(`0x0${digits}`) + 1n).toString(16)
  yield ['plus one', `0x${more.padStart(digits.length, '0')}`]
  yield ['a byte more at the end', `${value}00`]
  yield ['a byte more in front', `0x00${digits}`]
  yield ['a digit more in front', `0x0${digits}`]
  if (digits.length > 0) yield ['a digit less', value.slice(0, -1)]
  if (digits.length > 1) yield ['a byte less', value.slice(0, -2)]
}

/** Arrays with an element more, less or elsewhere. */
function* arraysBeside(list: readonly unknown[]): Generator<readonly [string, unknown]> {
  if (list.length === 0) {
    yield ['a hash added', [`0x${'ab'.repeat(32)}`]]
    yield ['an object added', [{ address: `0x${'ab'.repeat(20)}`, storageKeys: [] }]]
    return
  }
  const last = list.length - 1
  yield ['the first removed', list.slice(1)]
  yield ['the last removed', list.slice(0, -1)]
  yield ['the first twice', [list[0], ...list]]
  yield ['the last twice', [...list, list[last]]]
  yield ['all twice', [...list, ...list]]
  yield ['null added', [...list, null]]
  yield ['reversed', list.toReversed()]
  yield ['the first two swapped', [...list.slice(0, 2).toReversed(), ...list.slice(2)]]
  yield ['first and last swapped', list.with(0, list[last]).with(last, list[0])]
}

/** Indices that begin with the first and end with the last. */
function elementsOf(list: readonly unknown[], most: number): Set<number> {
  const count = Math.min(list.length, most)
  return new Set(Array.from({ length: count }, (_, i) => Math.round((i * (list.length - 1)) / Math.max(1, count - 1))))
}

/** The covered part of a value, as text that is equal for spellings of the same. */
function spellingOf(value: unknown, path: Path, rules: Rules): string {
  if (Array.isArray(value)) return `[${value.map((item, i) => spellingOf(item, [...path, String(i)], rules)).join()}]`
  if (isObject(value)) {
    const names = Object.keys(value).filter((name) => rules.isCovered([...path, name]))
    return `{${names.map((name) => `${name}:${spellingOf(value[name], [...path, name], rules)}`).join()}}`
  }
  if (typeof value !== 'string') return String(JSON.stringify(value))
  const isNumber = rules.padded.has(path.at(-1)!) && /^0x[0-9a-f]{0,64}$/i.test(value)
  return isNumber ? `0x${BigInt(`0x0${value.slice(2)}`).toString(16)}` : JSON.stringify(value.toLowerCase())
}

function coverage(fields: FieldReport): (path: Path) => boolean {
  const known = new Map<string, boolean>()
  const strong = new Set<string>()
  for (const [key, level] of Object.entries(fields)) {
    if (!isStrong(level)) continue
    const steps = key === '' ? [] : key.split('.')
    for (let end = 0; end <= steps.length; end++) strong.add(steps.slice(0, end).join('.'))
  }
  return (path) => {
    const pattern = patternOf(path)
    let answer = known.get(pattern)
    if (answer === undefined) {
      answer = strong.has(pattern) || isStrong(nearest(pattern, fields))
      known.set(pattern, answer)
    }
    return answer
  }
}

/** The level of a pattern or of the closest one above it. */
function nearest(pattern: string, fields: FieldReport): FieldLevel {
  for (let at = pattern; ; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    const level = Object.hasOwn(fields, at) ? fields[at] : undefined
    if (level !== undefined) return level
    if (at === '') return 'unverifiable'
  }
}

function isStrong(level: FieldLevel): boolean {
  return level !== 'unverifiable'
}

function patternOf(path: Path): string {
  return path.map((step) => (/^\d+$/.test(step) ? '*' : step)).join('.')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
