import { CID } from 'multiformats/cid'

/** Most containers within each other. Source: Kubo. */
const mostDepth = 1024
/** Longest text, in characters. Indenting makes much of little: a block of 2 MiB could have some 13 times as much. */
const mostCharacters = 32 * 2 ** 20

/**
 * Encodes a value as plain JSON, as Kubo writes it: indented by tabs, members in their order, a newline behind a container.
 * @throws TypeError for links, bytes, and numbers that JSON does not have; RangeError where the text is too deep or too long
 */
export function encodeJson(value: unknown): Uint8Array {
  const pieces: string[] = []
  let length = 0

  const write = (text: string): void => {
    length += text.length
    if (length > mostCharacters) throw new RangeError(`JSON may have ${mostCharacters} characters`)
    pieces.push(text)
  }

  const put = (each: unknown, line: string): void => {
    if (typeof each !== 'object' || each === null) return write(scalar(each))
    if (each instanceof Uint8Array || CID.asCID(each) !== null) throw new TypeError('JSON has no links and no bytes')
    if (line.length > mostDepth) throw new RangeError(`JSON may be nested ${mostDepth} deep`)
    const names = Array.isArray(each) ? undefined : Object.keys(each)
    write(names === undefined ? '[' : '{')
    const members: readonly unknown[] = Object.values(each)
    for (const [at, member] of members.entries()) {
      write(`${at === 0 ? '' : ','}${line}\t${names === undefined ? '' : `${quoted(names[at]!)}: `}`)
      put(member, `${line}\t`)
    }
    write(`${members.length === 0 ? '' : line}${names === undefined ? ']' : '}'}`)
  }

  put(value, '\n')
  if (typeof value === 'object' && value !== null) write('\n')
  return new TextEncoder().encode(pieces.join(''))
}

function scalar(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`JSON has no ${value}`)
  return String(value)
}

/** Quotes a text with the escapes that Kubo writes where JavaScript has others, or none. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(/\\.|[\u2028\u2029]/g, (found) => escapes[found] ?? found)
}

const escapes: Readonly<Record<string, string>> = {
  '\\b': '\\u0008',
  '\\f': '\\u000c',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}
