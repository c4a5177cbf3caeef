import { plainSpelling, readBytes } from './spelling.ts'

/** Replaces secrets in a text. A text without any is returned as it is. */
export type Redactor = (text: string) => string

/** Shortest secret, in bytes: shorter ones are parts of ordinary words. */
const shortest = 8
/** Shortest run of hex digits that is replaced in the data of a contract, where eight are no rarity. */
const shortestInHex = 16
const mark = '[redacted]'

/**
 * Creates a redactor of secrets in any spelling: plain, in capitals, escaped as in JSON, percent-encoded, in hex, and in base64 at any
 * place in what was encoded. It is compiled at its first text.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  let compiled: Needles | undefined
  return (text) => {
    compiled ??= needlesOf(secrets)
    const places = placesIn(text, compiled)
    return places.length === 0 ? text : replaced(text, places)
  }
}

interface Needles {
  readonly anywhere: readonly string[]
  /** Few digits of hex, which are no secret in data that begins with `0x`. */
  readonly outsideHex: readonly string[]
}

type Place = readonly [from: number, to: number]

function needlesOf(secrets: readonly string[]): Needles {
  const forms = new Set(secrets.filter((secret) => Buffer.byteLength(secret) >= shortest).flatMap(formsOf))
  const needles = [...forms].map(plainSpelling).filter(({ length }) => length >= shortest)
  const isFew = (needle: string): boolean => needle.length < shortestInHex && /^[\da-f]+$/.test(needle)
  return { anywhere: needles.filter((each) => !isFew(each)), outsideHex: needles.filter(isFew) }
}

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    // Characters at the edges depend on their neighbours.
    return text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6))
  })
  return [secret, bytes.toString('hex'), ...base64]
}

/** Finds the needles in the plain spelling of a text: in order, and apart from each other. */
function placesIn(text: string, { anywhere, outsideHex }: Needles): readonly Place[] {
  const plain = plainSpelling(text)
  const found: Place[] = []
  const find = (needle: string, where: string): void => {
    for (let i = where.indexOf(needle); i >= 0; i = where.indexOf(needle, i + needle.length)) {
      found.push([i, i + needle.length])
    }
  }
  for (const needle of anywhere) find(needle, plain)
  if (outsideHex.length > 0) {
    const rest = plain.replaceAll(/0x[\da-f]+/g, (hex) => ' '.repeat(hex.length))
    for (const needle of outsideHex) find(needle, rest)
  }
  const merged: [from: number, to: number][] = []
  for (const [from, to] of found.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1)
    if (last !== undefined && from < last[1]) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  return merged
}

/** Replaces places of the plain spelling in the text itself. */
function replaced(text: string, places: readonly Place[]): string {
  const parts: string[] = []
  let done = 0
  let next = 0
  let at = 0
  readBytes(text, (_byte, from, to) => {
    const place = places[next]
    if (place === undefined) return
    if (at === place[0]) parts.push(text.slice(done, Math.max(done, from)), mark)
    if (++at === place[1]) {
      done = to
      next++
    }
  })
  parts.push(text.slice(done))
  return parts.join('')
}
