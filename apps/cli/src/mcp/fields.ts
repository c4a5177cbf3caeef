import { is, object, type ObjectShape, type Schema } from '@wayleave/jsonrpc-core/schema'

/** Longest text in the data of an answer, in characters. */
const longestText = 2_000

/** A text of 1 to `most` characters, none of them a control character. */
export function words(expected: string, most: number): Schema<string> {
  return is(
    expected,
    (value) => typeof value === 'string' && value.length > 0 && value.length <= most && !/\p{Cc}/u.test(value),
    () => ({ type: 'string', minLength: 1, maxLength: most }),
  )
}

/** A text of an answer. */
export const anyText: Schema<string> = is(
  'a text',
  (value) => typeof value === 'string',
  () => ({ type: 'string' }),
)

/** An object that refuses members beyond its shape. */
export function exact<T extends object>(expected: string, shape: ObjectShape<T>): Schema<T> {
  return object(expected, shape, { closed: true })
}

/** Cuts a text of a gateway. */
export function cut(value: string): string {
  return value.length > longestText ? `${value.slice(0, longestText)}…` : value
}
