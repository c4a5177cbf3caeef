import {
  type AnySchema,
  array,
  choice,
  type ChosenSchema,
  integer,
  is,
  record,
  type Schema,
  text,
} from '@wayleave/jsonrpc-core/schema'

export const name: Schema<string> = text('a name of letters, digits, - and _', /^[A-Za-z0-9][\w-]{0,62}$/)
/** A name without `_`, or that ends in it, is a namespace whose star was forgotten, and would match no method. */
export const methodPattern: Schema<string> = text(
  'a method name such as debug_setHead, or a prefix that ends in *, such as debug_*',
  /^(?:\w*_\w*[A-Za-z\d]|\w+\*)$/,
)

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

/** An array of at most `most` elements. */
export function arrayUpTo<T>(most: number, item: Schema<T>): Schema<readonly T[]> {
  const list = array(item)
  const tooLong: ChosenSchema = {
    secret: false,
    check: (value, path) => ({
      path,
      expected: `at most ${most} entries`,
      received: String((value as readonly unknown[]).length),
    }),
  }
  return {
    ...choice(list.expected, (value) => (Array.isArray(value) && value.length > most ? tooLong : list)),
    json: (of) => ({ ...of(list), maxItems: most }),
  }
}

/** Refuses an empty array: a template that renders nothing must not read as a member that was left out. */
export function filled<T>(list: Schema<readonly T[]>): Schema<readonly T[]> {
  const empty: ChosenSchema = {
    secret: false,
    check: (_, path) => ({ path, expected: 'at least one entry, or no such member', received: 'an empty list' }),
  }
  return {
    ...choice(list.expected, (value) => (Array.isArray(value) && value.length === 0 ? empty : list)),
    json: (of) => ({ ...of(list), minItems: 1 }),
  }
}

/** A text that `test` takes; `json` describes it for editors. */
export function stringThat(expected: string, test: (value: string) => boolean, json: object = {}): Schema<string> {
  return is(
    expected,
    (value) => typeof value === 'string' && test(value),
    () => ({ type: 'string', ...json }),
  )
}

export function numberThat(expected: string, test: (value: number) => boolean, json: object = {}): Schema<number> {
  return is(
    expected,
    (value) => typeof value === 'number' && Number.isFinite(value) && test(value),
    () => ({ type: 'number', ...json }),
  )
}

/** Headers of a connection or of its messages: they cannot be sent, come twice, or make a message unreadable. RFC 9110 §7.6.1, RFC 6455 §4.1. */
const ofConnection =
  /^(?:accept-encoding|connection|content-(?:encoding|length|type)|expect|keep-alive|proxy-connection|sec-websocket-.*|te|trailer|transfer-encoding|upgrade)$/i
const headerName = stringThat(
  'the name of a header, without spaces, and none that a connection has itself, such as Content-Length, Expect or Upgrade',
  // RFC 9110 §5.1.
  (header) => /^[\w!#$%&'*+.^`|~-]+$/.test(header) && !ofConnection.test(header),
)
const headerValue = stringThat(
  'the value of a header, of printable latin letters in one line',
  // RFC 9110 §5.5; an empty one is that of a template that renders nothing.
  (value) => value.trim() !== '' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
)
/** Headers by their names, for the requests of one peer. */
export const headers: Schema<Readonly<Record<string, string>>> = record(headerValue, headerName)

/** A path. A shell would read `~` and `$HOME` in front of it; here, state would go to a folder of that name. */
export function filePath(expected: string): Schema<string> {
  const plain = stringThat(expected, (value) => value.trim() !== '' && !value.includes('\0'))
  const unread = refusal(`${expected}, with \${HOME} in place of ~`, 'a path that only a shell reads')
  const isUnread = (value: unknown): boolean => typeof value === 'string' && /^(?:~|\$\w+)(?:\/|$)/.test(value)
  return { ...choice(expected, (value) => (isUnread(value) ? unread : plain)), json: () => ({ type: 'string' }) }
}

export function url(expected: string, protocols: readonly string[]): Schema<string> {
  return stringThat(expected, (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    pattern: `^(?:${protocols.join('|')})`,
  })
}

/** Refuses every value, in words that show none of it. */
export function refusal(expected: string, received = 'something else', at = ''): AnySchema {
  return { expected, secret: false, check: (_, path) => ({ path: path + at, expected, received }) }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
