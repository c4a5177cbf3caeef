import { type RawJson, rawJsonFromText } from '@wayleave/jsonrpc-core'

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

const stringOrNumber = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Reads JSON without a change to its numbers. @throws RpcError `invalid_response` where it is no JSON */
export function readExact(json: RawJson): ExactJson {
  const value = json.value()
  const text = json.text()
  // Nearly every text: its value is parsed already.
  if (!hasInexact(text)) return { value, print: (made) => rawJsonFromText(JSON.stringify(made)) }
  const tokens: string[] = []
  // A number's place in `tokens` stands for it as a string; the strings of the text get a prefix that tells them apart.
  let coded = ''
  let at = 0
  for (const { 0: token, 1: string, 2: colon, index } of text.matchAll(stringOrNumber)) {
    if (string === undefined ? String(Number(token)) === token : colon !== undefined) continue
    coded += text.slice(at, index) + (string === undefined ? `"n${tokens.push(token) - 1}"` : `"s${string}"`)
    at = index + token.length
  }
  coded += text.slice(at)
  return { value: revived(JSON.parse(coded), tokens), print: (made) => rawJsonFromText(printExact(made)) }
}

/** In place, and without recursion: a reviver of `JSON.parse` takes seconds for what anybody can send. */
function revived(value: unknown, tokens: readonly string[]): unknown {
  const whole = [value]
  const left: Record<string | number, unknown>[] = [whole as never]
  const revive = (within: Record<string | number, unknown>, key: string | number): void => {
    const member = within[key]
    if (typeof member === 'object' && member !== null) left.push(member as Record<string, unknown>)
    if (typeof member !== 'string') return
    within[key] = member.startsWith('s') ? member.slice(1) : { [exact]: true, token: tokens[Number(member.slice(1))]! }
  }
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (Array.isArray(next)) for (let i = 0; i < next.length; i++) revive(next as never, i)
    else for (const key of Object.keys(next)) revive(next, key)
  }
  return whole[0]
}

/** The text of a value with {@link ExactNumber}s in it. */
export function printExact(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isExactNumber(value)) return value.token
  if (Array.isArray(value)) return `[${value.map(printExact).join(',')}]`
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${printExact(member)}`).join(',')}}`
}

const numberAt = /-?\d[\d.eE+-]*/y

/** Whether a number of a valid JSON text is none that JavaScript prints alike. */
function hasInexact(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === 0x22) {
      do i = text.indexOf('"', i + 1)
      while (isEscaped(text, i))
    } else if (c === 0x2d || (c >= 0x30 && c <= 0x39)) {
      numberAt.lastIndex = i
      const [token] = numberAt.exec(text)!
      if (String(Number(token)) !== token) return true
      i += token.length - 1
    }
  }
  return false
}

function isEscaped(text: string, quote: number): boolean {
  let i = quote
  while (text.charCodeAt(i - 1) === 0x5c) i--
  return (quote - i) % 2 === 1
}
