import { hexToBytes } from '@noble/hashes/utils.js'
import { assertValid, is, type Schema } from '@wayleave/jsonrpc-core/schema'
import { type Address, type Hash, type Hex, wordSchema } from './data.ts'
import { arraySlot, type Slot } from './storage-slot.ts'
import { mismatch, toWord } from './word.ts'

/** Part of a slot: `size` bytes, `offset` bytes from the low end, where Solidity puts the first variable. */
export interface WordPart {
  readonly offset?: number
  /** Default: all bytes above `offset`. */
  readonly size?: number
}

const partSchema: Schema<number> = /*#__PURE__*/ is(
  'offset and size, integers that fit 32 bytes',
  (value) => Number.isInteger(value) && (value as number) > 0 && (value as number) <= 32,
)

/** An unsigned integer, an enum or the length of a dynamic array, from the word that `eth_getStorageAt` answers. @throws SchemaError */
export function readUint(word: Hex, part: WordPart = {}): bigint {
  return BigInt(readFixedBytes(word, part))
}

/** A signed integer. @throws SchemaError */
export function readInt(word: Hex, part: WordPart = {}): bigint {
  const bytes = readFixedBytes(word, part)
  return BigInt.asIntN((bytes.length - 2) * 4, BigInt(bytes))
}

/** A boolean: the byte at `offset`. @throws SchemaError for another byte than 0 and 1. */
export function readBool(word: Hex, { offset = 0 }: Pick<WordPart, 'offset'> = {}): boolean {
  const byte = readUint(word, { offset, size: 1 })
  if (byte > 1n) throw mismatch('word', 'a boolean, 0 or 1', byte)
  return byte === 1n
}

/** An address or contract: the 20 bytes from `offset`. @throws SchemaError */
export function readAddress(word: Hex, { offset = 0 }: Pick<WordPart, 'offset'> = {}): Address {
  return readFixedBytes(word, { offset, size: 20 })
}

/** The raw bytes of a part: `bytesN`, or any type without a reader of its own. @throws SchemaError */
export function readFixedBytes(word: Hex, { offset = 0, size = 32 - offset }: WordPart = {}): Hex {
  const digits = wordOf(word).slice(2)
  assertValid<number>(partSchema, offset >= 0 ? size : -1, 'part')
  assertValid<number>(partSchema, offset + size, 'part')
  const end = 64 - offset * 2
  return `0x${digits.slice(end - size * 2, end)}`
}

/**
 * The positions that hold the bytes of a `string` or `bytes` at `slot`: none for a short one, whose bytes are in `head`,
 * the word at `slot`. Refuses more than `maxBytes` bytes (default 65,536), because the contract chose the length.
 * @throws SchemaError also if `head` is not the first word of a `string` or `bytes`.
 */
export function bytesSlots(slot: Slot, head: Hex, maxBytes: number = 65_536): Hash[] {
  const { length, short } = headOf(head)
  if (length > BigInt(maxBytes)) throw mismatch('length', `at most ${maxBytes} bytes`, length)
  const slots = short ? 0 : Math.ceil(Number(length) / 32)
  return Array.from({ length: slots }, (_, i) => arraySlot(slot, i))
}

/** A `bytes` from its head and the words at its {@link bytesSlots}. @throws SchemaError if words are missing. */
export function readBytes(head: Hex, words: readonly Hex[] = []): Hex {
  const { length, short } = headOf(head)
  if (short) return `0x${wordOf(head).slice(2, 2 + Number(length) * 2)}`
  const expected = (length + 31n) / 32n
  if (BigInt(words.length) !== expected) throw mismatch('words', `${expected} words for ${length} bytes`, words.length)
  const digits = words.map((word) => wordOf(word).slice(2)).join('')
  return `0x${digits.slice(0, Number(length) * 2)}`
}

/** A `string`, as {@link readBytes}; bytes that are not UTF-8 become U+FFFD. @throws SchemaError */
export function readString(head: Hex, words: readonly Hex[] = []): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(hexToBytes(readBytes(head, words).slice(2)))
}

/** A long value stores `length * 2 + 1`, so its lowest bit is set. A short one has its bytes first and `length * 2` in the last byte. */
function headOf(head: Hex): { readonly length: bigint; readonly short: boolean } {
  const value = BigInt(wordOf(head))
  const short = value % 2n === 0n
  const length = short ? (value & 0xffn) / 2n : value / 2n
  if (short ? length > 31n : length < 32n) throw mismatch('head', 'the first word of a string or bytes', head)
  return { length, short }
}

/** Restores the leading zeros that some nodes cut. */
function wordOf(word: Hex): Hash {
  assertValid<Hex>(wordSchema, word, 'word')
  return toWord(word)
}
