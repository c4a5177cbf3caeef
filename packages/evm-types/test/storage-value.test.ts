import { assert, bigInt, integer, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  arraySlot,
  bytesSlots,
  type Hex,
  readAddress,
  readBool,
  readBytes,
  readFixedBytes,
  readInt,
  readString,
  readUint,
} from '../src/index.ts'

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** A string as Solidity stores it: its head and the words beyond. */
function stored(value: string): { head: Hex; words: Hex[] } {
  const hex = Buffer.from(value, 'utf8').toString('hex')
  const length = hex.length / 2
  if (length < 32) return { head: `0x${hex.padEnd(62, '0')}${(length * 2).toString(16).padStart(2, '0')}`, words: [] }
  const words = hex.match(/.{1,64}/g)!.map((part): Hex => `0x${part.padEnd(64, '0')}`)
  return { head: word(BigInt(length * 2 + 1)), words }
}

describe('parts of a word', () => {
  test('what is written at an offset is read there, and nothing else', () => {
    assert(
      property(
        integer({ min: 0, max: 31 }),
        integer({ min: 1, max: 32 }),
        bigInt({ min: 0n }),
        (offset, length, seed) => {
          const size = Math.min(length, 32 - offset)
          const limit = 2n ** BigInt(size * 8)
          const value = (seed * 0x9e3779b97f4a7c15n + seed) % limit
          const ones = 2n ** 256n - 1n
          const mask = (limit - 1n) << BigInt(offset * 8)
          const full = word((ones & ~mask) | (value << BigInt(offset * 8)))
          expect(readUint(full, { offset, size })).toBe(value)
          expect(readInt(full, { offset, size })).toBe(BigInt.asIntN(size * 8, value))
          expect(readFixedBytes(full, { offset, size })).toHaveLength(2 + size * 2)
        },
      ),
    )
  })

  test('a word whose leading zeros a node cut is read like the whole', () => {
    expect(readUint('0x2a')).toBe(42n)
    expect(readAddress('0x1')).toBe(`0x${'1'.padStart(40, '0')}`)
  })

  test.each<[() => unknown, RegExp]>([
    [() => readUint('0x'), /^word: expected 1 to 64 hex digits/],
    [() => readUint('12' as Hex), /^word: /],
    [() => readUint('0x1', { offset: 32 }), /^part: /],
    [() => readUint('0x1', { offset: -1 }), /^part: /],
    [() => readUint('0x1', { offset: 1, size: 32 }), /^part: /],
    [() => readUint('0x1', { size: 0 }), /^part: /],
    [() => readAddress('0x1', { offset: 13 }), /^part: /],
    [() => readBool('0x2'), /^word: expected a boolean, 0 or 1, got 2/],
  ])('%s is refused', (action, message) => {
    expect(action).toThrow(message)
  })
})

describe('strings and bytes', () => {
  test('every text comes back, with as many words as bytesSlots asks for', () => {
    assert(
      property(string({ unit: 'grapheme', maxLength: 80 }), (value) => {
        const { head, words } = stored(value)
        expect(bytesSlots(7, head)).toEqual(words.map((_, i) => arraySlot(7, i)))
        expect(readString(head, words)).toBe(value)
        expect(readBytes(head, words)).toBe(`0x${Buffer.from(value, 'utf8').toString('hex')}`)
      }),
    )
  })

  test('a length that a contract made up is refused before anything is made of it', () => {
    const head = word(2n ** 255n + 1n)
    expect(() => bytesSlots(0, head)).toThrow(/^length: expected at most 65536 bytes/)
    expect(bytesSlots(0, word(2n * 64n + 1n), 64)).toHaveLength(2)
    expect(() => bytesSlots(0, word(2n * 65n + 1n), 64)).toThrow(/at most 64 bytes/)
  })

  test('a head that no compiler writes is refused', () => {
    expect(() => readBytes(word(64n))).toThrow(/^head: /)
    expect(() => readBytes(word(1n))).toThrow(/^head: /)
    expect(() => readBytes(word(2n * 31n + 1n), [word(0n)])).toThrow(/^head: /)
  })

  test('missing words are refused', () => {
    expect(() => readBytes(word(2n * 40n + 1n), [word(0n)])).toThrow('words: expected 2 words for 40 bytes, got 1')
  })

  test('bytes that are no UTF-8 are told from text by readBytes alone', () => {
    const head: Hex = `0xff${'00'.repeat(30)}02`
    expect(readString(head)).toBe('\u{fffd}')
    expect(readBytes(head)).toBe('0xff')
  })
})
