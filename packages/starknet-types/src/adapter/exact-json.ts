import { endOfString, type RawJson, rawJsonFromText } from '@wayleave/jsonrpc-core'

const exact: unique symbol = Symbol('exact number')

/** A JSON number that JavaScript would print otherwise, such as `12345678901234567890` or `1.0`, by its token. */
export interface ExactNumber {
  readonly [exact]: true
  readonly token: string
}

export function isExactNumber(value: unknown): value is ExactNumber {
  return typeof value === 'object' && value !== null && exact in value
}

/** A value of which every number was kept, and the way back to JSON. */
export interface ExactJson {
  /** An {@link ExactNumber} stands where a JavaScript number would change; else it is what `JSON.parse` gives. */
  readonly value: unknown
  /** The JSON of another value made of this one, each number as it came. */
  print(value: unknown): RawJson
}

/** Reads JSON without a change to its numbers. @throws RpcError `invalid_response` where it is no JSON */
export function readExact(json: RawJson): ExactJson {
  const value = json.value()
  const text = json.text()
  // Nearly every text: its value is parsed already.
  if (!hasInexact(text)) return { value, print: (made) => rawJsonFromText(JSON.stringify(made)) }
  return { value: parsed(text), print: (made) => rawJsonFromText(printExact(made)) }
}

type Container = unknown[] | Record<string, unknown>

/** The value of a text that is known to be JSON. Without recursion, and in one pass: anybody can send megabytes of such numbers. */
function parsed(text: string): unknown {
  const whole: unknown[] = []
  const open: Container[] = [whole]
  let key: string | undefined
  let escape = text.indexOf('\\')

  function put(value: unknown): void {
    const within = open.at(-1)!
    if (Array.isArray(within)) within.push(value)
    // Assigning it would set the prototype.
    else if (key === '__proto__') Object.defineProperty(within, key, { ...plain, value })
    else within[key!] = value
    key = undefined
  }

  for (let i = 0; i < text.length; i++) {
    const c = text[i]!
    if (c === '"') {
      const end = endOfString(text, i) - 1
      if (escape !== -1 && escape < i) escape = text.indexOf('\\', i)
      const hasEscape = escape !== -1 && escape < end
      const string = hasEscape ? (JSON.parse(text.slice(i, end + 1)) as string) : text.slice(i + 1, end)
      if (key === undefined && !Array.isArray(open.at(-1))) key = string
      else put(string)
      i = end
    } else if (c === '{' || c === '[') {
      const inner: Container = c === '{' ? {} : []
      put(inner)
      open.push(inner)
    } else if (c === '}' || c === ']') {
      open.pop()
    } else if (isDigit(c) || c === '-') {
      const token = tokenAt(text, i)
      put(isInexact(token) ? { [exact]: true, token } : Number(token))
      i += token.length - 1
    } else if (c === 't' || c === 'f' || c === 'n') {
      put(c === 'n' ? null : c === 't')
      i += c === 'f' ? 4 : 3
    }
  }
  return whole[0]
}

const plain = { configurable: true, enumerable: true, writable: true }

/** The text of a value with {@link ExactNumber}s in it. */
export function printExact(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isExactNumber(value)) return value.token
  if (Array.isArray(value)) return `[${value.map(printExact).join(',')}]`
  let members = ''
  for (const [key, member] of Object.entries(value))
    if (member !== undefined) members += `${members && ','}${JSON.stringify(key)}:${printExact(member)}`
  return `{${members}}`
}

/** Whether a number of a valid JSON text is none that JavaScript prints alike. */
function hasInexact(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!
    if (c === '"') i = endOfString(text, i) - 1
    else if (isDigit(c) || c === '-') {
      const token = tokenAt(text, i)
      if (isInexact(token)) return true
      i += token.length - 1
    }
  }
  return false
}

const numberAt = /-?\d[\d.eE+-]*/y

function tokenAt(text: string, start: number): string {
  numberAt.lastIndex = start
  numberAt.test(text)
  return text.slice(start, numberAt.lastIndex)
}

function isInexact(token: string): boolean {
  // Printing a number takes most of the time, and so short an integer is told by its digits; none is printed longer than 25.
  if (token.length < 16 && shortInteger.test(token)) return false
  return token.length > 25 || String(Number(token)) !== token
}

const shortInteger = /^(?:0|-?[1-9]\d*)$/

function isDigit(c: string): boolean {
  return c >= '0' && c <= '9'
}
