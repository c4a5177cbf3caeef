import { VerifyError } from './error.ts'
import type { RlpItem } from './rlp.ts'

/** The deepest nesting of lists. A block of transactions with access lists needs 7, a trie node no more. */
export const maxRlpDepth = 32

/** The most items in one encoding, at all depths together: one byte can become an object of a hundred. */
export const maxRlpItems = 1_000_000

interface Reader {
  readonly bytes: Uint8Array
  at: number
  items: number
}

/**
 * Decodes one item that fills `bytes`. Strict: each value has one encoding, and any other is refused. Also refuses nesting
 * beyond {@link maxRlpDepth} and more than {@link maxRlpItems} items. Strings are views into `bytes`.
 * Source: Yellow Paper, appendix B.
 * @throws VerifyError `malformed`
 */
export function decodeRlp(bytes: Uint8Array): RlpItem {
  const reader: Reader = { bytes, at: 0, items: 0 }
  const item = readItem(reader, bytes.length, 0)
  if (reader.at !== bytes.length) throw malformed(reader.at, 'the end', `${bytes.length - reader.at} more bytes`)
  return item
}

function readItem(reader: Reader, end: number, depth: number): RlpItem {
  const { bytes, at: start } = reader
  if (start >= end) throw malformed(start, 'an item', 'the end')
  if (++reader.items > maxRlpItems) throw malformed(start, `at most ${maxRlpItems} items`, 'more')
  const prefix = bytes[start]!
  reader.at = start + 1
  if (prefix < 0x80) return bytes.subarray(start, start + 1)
  const isList = prefix >= 0xc0
  const length = readLength(reader, end, prefix - (isList ? 0xc0 : 0x80))
  return isList ? readList(reader, length, depth) : readString(reader, length)
}

function readString(reader: Reader, length: number): Uint8Array {
  const string = reader.bytes.subarray(reader.at, reader.at + length)
  if (length === 1 && string[0]! < 0x80) throw malformed(reader.at, 'a byte below 0x80 without a prefix', 'one')
  reader.at += length
  return string
}

function readList(reader: Reader, length: number, depth: number): RlpItem {
  if (depth === maxRlpDepth) throw malformed(reader.at, `lists nested at most ${maxRlpDepth} deep`, 'more')
  const end = reader.at + length
  const list: RlpItem[] = []
  while (reader.at < end) list.push(readItem(reader, end, depth + 1))
  return list
}

/** Reads the length in a prefix or in the bytes after it; the contents must end before `end`. */
function readLength(reader: Reader, end: number, kind: number): number {
  const { bytes, at } = reader
  let length = kind
  if (kind > 55) {
    const size = kind - 55
    if (size > end - at) throw malformed(at, `a length of ${size} bytes`, `${end - at} bytes`)
    if (bytes[at] === 0) throw malformed(at, 'a length without leading zeros', 'one')
    length = 0
    for (let i = 0; i < size; i++) length = length * 256 + bytes[at + i]!
    if (length < 56) throw malformed(at, `a short prefix for ${length} bytes`, 'a long one')
    reader.at += size
  }
  if (length > end - reader.at) throw malformed(reader.at, `${length} bytes`, `${end - reader.at}`)
  return length
}

function malformed(at: number, expected: string, received: string): VerifyError {
  return new VerifyError('malformed', '', `RLP at byte ${at}: expected ${expected}, got ${received}`)
}
