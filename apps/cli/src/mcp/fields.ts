import {
  type AnyMember,
  is,
  object,
  type OptionalSchema,
  type Schema,
  type TypeOf,
} from '@wayleave/jsonrpc-core/schema'

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

type Shape = Readonly<Record<string, AnyMember>>
type OptionalOf<S extends Shape> = { [K in keyof S]: S[K] extends OptionalSchema<infer _> ? K : never }[keyof S]
type Shaped<S extends Shape> = { readonly [K in Exclude<keyof S, OptionalOf<S>>]: TypeOf<S[K]> } & {
  readonly [K in OptionalOf<S>]?: S[K] extends OptionalSchema<infer T> ? T : never
}

/** An object that refuses members beyond its shape, which is its type, too. */
export function exact<S extends Shape>(expected: string, shape: S): Schema<Shaped<S>> {
  return object(expected, shape as never, { closed: true })
}

/** Cuts a text of a gateway. */
export function cut(value: string): string {
  return value.length > longestText ? `${value.slice(0, longestText)}…` : value
}
