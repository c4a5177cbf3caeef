import { type AnySchema, integer, is, object, type ObjectShape, type Schema } from '@wayleave/jsonrpc-core/schema'

export const count: Schema<number> = integer('a whole number above 0', 1)
export const bytes: Schema<number> = integer('a whole number of bytes above 0', 1)
/** A greater cap is none to `ws`, and some versions of Node throw. */
export const bytesInMemory: Schema<number> = integer(
  'a whole number of bytes above 0, at most 2 GiB - 1',
  1,
  2 ** 31 - 1,
)
/** Longer waits would overflow a timer. */
export const milliseconds: Schema<number> = integer(
  'a whole number of milliseconds above 0, at most 24 days',
  1,
  2 ** 31 - 1,
)

/** An object that refuses members beyond its shape, those of `refused` with a reason of their own. */
export function exact<T extends object>(
  expected: string,
  shape: ObjectShape<T>,
  refused: Readonly<Record<string, string>> = {},
): Schema<T> {
  return object(expected, shape, { closed: refused })
}

export function stringThat(expected: string, test: (value: string) => boolean): Schema<string> {
  return is(expected, (value) => typeof value === 'string' && test(value))
}

export function url(expected: string, protocols: readonly string[]): Schema<string> {
  return stringThat(expected, (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol))
}

/** Refuses every value, in words that show none of it. */
export function refusal(expected: string, received = 'something else', at = ''): AnySchema {
  return { expected, secret: false, check: (_, path) => ({ path: path + at, expected, received }) }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
