import { didYouMean, type Issue, type IssuePath, nearestName, printPath } from '@wayleave/jsonrpc-core/schema'
import { isObject } from '@wayleave/network/config'

/** Most times that the whole is checked again to look for hints, and most values that are looked at then, as a gateway that serves reads its file, too. */
const mostChecks = 20
const mostValues = 10_000

/** A value that may have been meant, and the words that say so. They hold no piece of what may be secret. */
interface Mend {
  readonly value: unknown
  readonly hint: string
}

/**
 * Adds to the issues of `value` the usual change that would mend each, if one does: `check` is run over the changed whole. `written` is the
 * value before `${…}` was replaced. A member that is absent because its name was mistyped is told once, by that name.
 */
export function withHints(
  found: readonly Issue[],
  value: unknown,
  written: unknown,
  check: (changed: unknown) => readonly Issue[],
): readonly Issue[] {
  const meant = new Set(found.flatMap(({ path, hint }) => (hint === undefined ? [] : [meantPath(path, hint)])))
  const reported = found.filter(({ path, received }) => received !== 'nothing' || !meant.has(printPath(path)))
  const before = new Set(found.map(({ path }) => printPath(path)))
  const most = Math.min(mostChecks, Math.floor(mostValues / (1 + countValues(value))))
  let checks = 0
  const mends = (mend: Mend, at: IssuePath): boolean => {
    if (++checks > most) return false
    const place = printPath(at)
    const left = check(replaceAt(value, at, mend.value)).map(({ path }) => printPath(path))
    return !left.includes(place) && left.every((path) => before.has(path) || path.startsWith(place))
  }
  return reported.map((issue) => {
    const { path, hint: given } = issue
    const wrong = valueAt(value, path)
    const find = (): string | undefined => {
      if (wrong === null) return path.length === 0 ? 'wayleave config init writes one' : emptyMember
      return mendsOf(wrong, valueAt(written, path), issue).find((mend) => mends(mend, path))?.hint
    }
    const hint = given ?? find()
    return hint === undefined ? issue : { ...issue, hint }
  })
}

const emptyMember = 'give it a value, or indent its members below it'

/** The path of the member that a hint names. */
function meantPath(path: IssuePath, hint: string): string {
  const name = /^did you mean "([\w$]+)"\?$/.exec(hint)?.[1]
  return name === undefined ? '' : printPath([...path.slice(0, -1), name])
}

function mendsOf(value: unknown, written: unknown, { expected, received }: Issue): readonly Mend[] {
  if (Array.isArray(value)) {
    return value.length === 1 ? [{ value: value[0] as unknown, hint: 'write it without the list' }] : []
  }
  const wantsList = expected.startsWith('an array')
  if (isObject(value)) return wantsList ? [{ value: [value], hint: 'write it as a list: put "- " in front of it' }] : []
  if (typeof value === 'number' || typeof value === 'boolean') {
    // A chain of Starknet could be called "1", but is not.
    return expected.startsWith('a chain id') ? [] : [{ value: String(value), hint: 'write it in quotes' }]
  }
  if (typeof value !== 'string') return []
  const isFilled = typeof written === 'string' && written.includes('${')
  const isShown = received.startsWith('"')
  return [
    ...(expected.startsWith('a time') ? [] : unquoted(value, isFilled, isShown)),
    ...withScheme(value, expected, isFilled),
    // A part of a hidden value must not be told, but a name that stands in what was expected may be.
    ...(isShown ? nearest(value, expected) : []),
    ...(isShown && expected.startsWith('a method name') && /^[a-z]\w*$/i.test(value)
      ? [{ value: `${value}_*`, hint: didYouMean(`${value}_*`) }]
      : []),
    ...(wantsList ? [{ value: [value], hint: 'write it as a list: in [ ], or with "- " in front of it' }] : []),
  ]
}

function unquoted(value: string, isFilled: boolean, isShown: boolean): readonly Mend[] {
  const hint = isFilled ? 'write the value itself, as ${…} stands for text alone' : 'write it without quotes'
  if (value === 'true' || value === 'false') return [{ value: value === 'true', hint }]
  const plain = value.replaceAll(/[,_ ](?=\d{3})/g, '')
  if (!/^(?:-?\d{1,15}(?:\.\d+)?|0x[\da-f]{1,12})$/i.test(plain)) return []
  const number = Number(plain)
  if (isFilled || value === String(number)) return [{ value: number, hint }]
  return [{ value: number, hint: isShown ? `write it as ${number}, without quotes` : hint }]
}

function withScheme(value: string, expected: string, isFilled: boolean): readonly Mend[] {
  const schemes = expected.match(/\b(?:https?|wss?|rediss?|postgres)\b(?=.* URL)/g) ?? []
  const [, given, rest] = /^([a-z]+):\/\/(.*)$/is.exec(value) ?? []
  if (given !== undefined) {
    const near = nearestName(given, schemes)
    return near === undefined ? [] : [{ value: `${near}://${rest}`, hint: `did you mean ${near}://?` }]
  }
  const scheme = (isPublic(value) && schemes.find((it) => it.endsWith('s') && it !== 'ws')) || schemes[0]
  if (scheme === undefined) return []
  const url = `${scheme}://${value}`
  const isShown = !isFilled && showsNothing(value)
  return [{ value: url, hint: isShown ? `did you mean ${url}?` : `write ${scheme}:// in front of it` }]
}

/** Tells a host and a port that hold no path, user or token: an address, localhost, or a name with dots and a port. */
function showsNothing(value: string): boolean {
  return /^(?:localhost(?::\d+)?|[\d.]+(?::\d+)?|\[[\da-f:]+\](?::\d+)?|(?:[a-z][a-z\d-]{0,30}\.)+[a-z]{2,20}:\d+)\/?$/i.test(
    value,
  )
}

/** Tells a host of the Internet, whose nodes are reached by TLS. */
function isPublic(value: string): boolean {
  return /^[a-z\d.-]+\.(?!local\b|internal\b|lan\b)[a-z]{2,20}(?:\/|$)/i.test(value)
}

/** The nearest of the names that `expected` lists: `"evm", "rollup", "starknet" or "jsonrpc"`, or `one of mainnet, sepolia`. */
function nearest(value: string, expected: string): readonly Mend[] {
  const quoted = Array.from(expected.matchAll(/"([^"]+)"/g), ([, name]) => name!)
  const listed = /^one of (.+?)(?:, the .*)?$/.exec(expected)?.[1]?.split(', ') ?? []
  // A version is no typing error of another one.
  const names = [...quoted, ...listed].filter((name) => /^[a-z]/i.test(name))
  const near = nearestName(value, names)
  return near === undefined ? [] : [{ value: near, hint: didYouMean(near) }]
}

/** Counts the values in a value; one that is deeper than any configuration, or holds itself, counts as too many. */
function countValues(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null) return 1
  if (depth > 32) return mostValues
  let count = 1
  for (const inner of Object.values(value)) {
    count += countValues(inner, depth + 1)
    if (count > mostValues) break
  }
  return count
}

function valueAt(value: unknown, path: IssuePath): unknown {
  return path.reduce<unknown>((inner, step) => {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, step)) return undefined
    return (inner as Readonly<Record<string | number, unknown>>)[step]
  }, value)
}

/** Copies a value with another one at `path`; undefined leaves a member out. */
function replaceAt(value: unknown, [step, ...path]: IssuePath, by: unknown): unknown {
  if (step === undefined) return by
  if (Array.isArray(value)) return value.map((item: unknown, i) => (i === step ? replaceAt(item, path, by) : item))
  if (!isObject(value)) return value
  const changed = Object.entries(value).map(([name, member]) => [
    name,
    name === step ? replaceAt(member, path, by) : member,
  ])
  return Object.fromEntries(changed.filter(([, member]) => member !== undefined))
}
