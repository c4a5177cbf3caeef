import { isExactNumber } from './exact-json.ts'
import { instead, type Pair, untranslatable, type UntranslatableError } from './untranslatable.ts'

/** A JSON object. */
export type Members = Readonly<Record<string, unknown>>

/**
 * Translates an object of an endpoint's version into one of a caller's: undefined where it is the same or has more members,
 * `lacks` where no answer can hold what the caller's version requires.
 */
export type Adapter = ((object: Members) => Members) | undefined | { readonly lacks: string }

/** Whether a value is a JSON object. */
export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
}

/** The integer that a felt, a hex number or a JSON number stands for; undefined where it is none, or has more than 256 bits. */
export function integerOf(value: unknown): bigint | undefined {
  const text = isExactNumber(value) ? value.token : typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && /^(?:0x[\da-f]{1,64}|\d{1,78})$/i.test(text) ? BigInt(text) : undefined
}

/** The same integer as hex. @throws UntranslatableError where it is none */
export function hexOf(pair: Pair, name: string, value: unknown): string {
  return `0x${needInteger(pair, name, value).toString(16)}`
}

/** The same integer as a number. @throws UntranslatableError where it is none, or none that is safe */
export function numberOf(pair: Pair, name: string, value: unknown): number {
  const number = Number(needInteger(pair, name, value))
  if (!Number.isSafeInteger(number)) throw untranslatable(pair, `${name} of the answer is beyond 2^53`)
  return number
}

/** The integer at a name. @throws UntranslatableError where there is none */
export function needInteger(pair: Pair, name: string, value: unknown): bigint {
  if (value === undefined) throw lacking(pair, name)
  const integer = integerOf(value)
  if (integer === undefined) throw untranslatable(pair, `${name} of the answer is no integer`)
  return integer
}

/** The error for a member that the caller's version requires and the answer does not hold. */
export function lacking(pair: Pair, name: string): UntranslatableError {
  return untranslatable(pair, `the answer holds no ${name}, which ${pair.caller} requires: ${instead(pair)}`)
}

/** An object without some of its members. */
export function without(object: Members, names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
}

/** Reports members that stand in an adapted object only because the caller's version requires them. Returns the object. */
export function filled(object: Members, { onUnknown }: Pair, unknown: readonly string[]): Members {
  for (const name of unknown) onUnknown?.(name)
  return object
}
