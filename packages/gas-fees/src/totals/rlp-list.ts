import { GasFeesError } from '../error.ts'

/** An item of a list in RLP, in hex digits without `0x`. */
export interface RlpItem {
  /** The item as it stands in the list, with its length. */
  readonly encoded: string
  readonly value: string
}

/** Encodes bytes, given as pairs of hex digits. Source: Yellow Paper, appendix B. */
export function rlpBytes(digits: string): string {
  return digits.length === 2 && digits < '80' ? digits : `${prefix(0x80, digits.length / 2)}${digits}`
}

/** Encodes a list of items that are encoded already. */
export function rlpList(items: readonly string[]): string {
  const joined = items.join('')
  return `${prefix(0xc0, joined.length / 2)}${joined}`
}

/** Reads the items of a list that fills `digits`. @throws GasFeesError `malformed` */
export function rlpItems(digits: string): readonly RlpItem[] {
  const [from, to] = bounds(digits, 0, 0xc0)
  if (to !== digits.length) throw noList()
  const items: RlpItem[] = []
  for (let at = from; at < to;) {
    const [start, end] = bounds(digits, at, Number.parseInt(digits.slice(at, at + 2), 16) < 0xc0 ? 0x80 : 0xc0)
    // A length that is cut off is no number.
    if (!(end <= to)) throw noList()
    items.push({ encoded: digits.slice(at, end), value: digits.slice(start, end) })
    at = end
  }
  return items
}

function prefix(kind: number, length: number): string {
  if (length < 56) return byte(kind + length)
  const size = length.toString(16)
  const padded = size.padStart(size.length + (size.length % 2), '0')
  return `${byte(kind + 55 + padded.length / 2)}${padded}`
}

/** Finds where the payload of an item starts and ends. */
function bounds(digits: string, at: number, kind: number): readonly [start: number, end: number] {
  const first = Number.parseInt(digits.slice(at, at + 2), 16)
  if (kind === 0x80 && first < 0x80) return [at, at + 2]
  const length = first - kind
  // A length of more than four bytes is no transaction's.
  if (!(length >= 0 && length < 60)) throw noList()
  if (length < 56) return [at + 2, at + 2 + 2 * length]
  const start = at + 2 + 2 * (length - 55)
  return [start, start + 2 * Number.parseInt(digits.slice(at + 2, start), 16)]
}

function byte(value: number): string {
  return value.toString(16).padStart(2, '0')
}

function noList(): GasFeesError {
  return new GasFeesError(
    'malformed',
    'expected the bytes of a signed transaction, as eth_sendRawTransaction takes them',
  )
}
