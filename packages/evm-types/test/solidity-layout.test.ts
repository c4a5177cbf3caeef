import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  arraySlot,
  bytesSlots,
  erc7201Slot,
  fixedArraySlot,
  type Hash,
  type Hex,
  mappingSlot,
  type MappingKey,
  memberSlot,
  packedPlace,
  readAddress,
  readBool,
  readBytes,
  readFixedBytes,
  readInt,
  readString,
  readUint,
  type Slot,
} from '../src/index.ts'

interface Fixture {
  readonly layout: Readonly<Record<string, { readonly slot: number; readonly offset: number; readonly bytes: number }>>
  /** Every word of the contract's storage that is not zero. */
  readonly words: Readonly<Record<Hash, Hex>>
}

// Slots as the Solidity compiler laid them out and the EVM wrote them; the expected values below are those of its source.
const { layout, words } = JSON.parse(
  readFileSync(new URL('./vectors/solidity-layout.json', import.meta.url), 'utf8'),
) as Fixture
const owner = '0x7dcd17433742f4c0ca53122ab541d0ba67fc27df'
const read = new Set<string>()

/** As eth_getStorageAt answers. */
function wordAt(slot: Slot): Hex {
  const position = memberSlot(slot, 0)
  read.add(position)
  return words[position] ?? `0x${'0'.repeat(64)}`
}
const slotOf = (name: string): number => layout[name]!.slot
const part = (name: string): { offset: number; size: number } => ({
  offset: layout[name]!.offset,
  size: layout[name]!.bytes,
})
const text = (slot: number): string => readString(wordAt(slot), bytesSlots(slot, wordAt(slot)).map(wordAt))
const blob = (slot: number): Hex => readBytes(wordAt(slot), bytesSlots(slot, wordAt(slot)).map(wordAt))
const order = (at: Hash): unknown => [
  readAddress(wordAt(at)),
  readUint(wordAt(at), { offset: 20, size: 8 }),
  readBool(wordAt(at), { offset: 28 }),
  readUint(wordAt(memberSlot(at, 1))),
]

describe('storage that a real contract wrote', () => {
  test('plain and packed variables', () => {
    expect(readUint(wordAt(slotOf('plain')))).toBe(123456789012345678901234567890n)
    const shared = wordAt(slotOf('owner'))
    expect(slotOf('paused')).toBe(slotOf('owner'))
    expect(readAddress(shared)).toBe(owner)
    expect(readBool(shared, part('paused'))).toBe(true)
    expect(readUint(shared, part('counter'))).toBe(0x1122334455667788n)
    expect(readUint(shared, part('phase'))).toBe(2n)
    expect(readInt(wordAt(slotOf('tick')), part('tick'))).toBe(-887272n)
    expect(readFixedBytes(wordAt(slotOf('selector')), part('selector'))).toBe('0x12345678')
  })

  test('fixed arrays, packed and of structs', () => {
    for (let i = 0; i < 8; i++) {
      const place = packedPlace(slotOf('fixedPacked'), i, 8)
      expect(readUint(wordAt(place.slot), place)).toBe(1000n + BigInt(i))
    }
    const point = fixedArraySlot(slotOf('fixedPoints'), 1, 2)
    expect(readUint(wordAt(point), { size: 16 })).toBe(7n)
    expect(readUint(wordAt(point), { offset: 16 })).toBe(8n)
    expect(readInt(wordAt(memberSlot(point, 1)))).toBe(-9n)
  })

  test('dynamic arrays: of numbers, packed, and of structs', () => {
    expect(readUint(wordAt(slotOf('numbers')))).toBe(3n)
    expect([0, 1, 2].map((i) => readUint(wordAt(arraySlot(slotOf('numbers'), i))))).toEqual([100n, 101n, 104n])
    expect(readUint(wordAt(slotOf('fees')))).toBe(15n)
    for (let i = 0; i < 15; i++) {
      const place = packedPlace(arraySlot(slotOf('fees'), 0), i, 3)
      expect(readUint(wordAt(place.slot), place)).toBe(3000n + BigInt(i))
    }
    expect(readUint(wordAt(slotOf('orders')))).toBe(2n)
    expect(order(arraySlot(slotOf('orders'), 0, 2))).toEqual([
      `0x${'11'.repeat(20)}`,
      1700000000n,
      true,
      5n * 10n ** 18n,
    ])
    expect(order(arraySlot(slotOf('orders'), 1, 2))).toEqual([
      `0x${'22'.repeat(20)}`,
      1800000000n,
      false,
      6n * 10n ** 18n,
    ])
  })

  test('a variable of bytes32', () => {
    // keccak256('root')
    expect(wordAt(slotOf('root'))).toMatch(/^0x[0-9a-f]{64}$/)
  })

  const long = 'a name that is longer than thirty-two bytes, to be hashed whole'
  test.each<[string, readonly [MappingKey, ...MappingKey[]], bigint]>([
    ['balances', [owner], 42n],
    ['approved', [owner, 77], 1n],
    ['byFlag', [true], -1n],
    ['byInt', [-300], 300n],
    // keccak256('key')
    ['byHash', ['0x07855b46a623a8ecabac76ed697aa4e13631e3b6718c8a0d342860c13c30d2fc'], 11n],
    ['bySelector', [{ fixedBytes: '0xdeadbeef' }], 12n],
    ['byName', [{ string: 'hello' }], 13n],
    ['byName', [{ string: long }], 14n],
    ['byBytes', [{ bytes: '0xc0ffee' }], 15n],
    ['byPhase', [1], 16n],
  ])('a mapping: %s %j', (name, keys, value) => {
    expect(readInt(wordAt(mappingSlot(slotOf(name), ...keys)))).toBe(value)
  })

  test('a mapping to structs, and one to arrays', () => {
    expect(order(mappingSlot(slotOf('orderOf'), 5))).toEqual([`0x${'33'.repeat(20)}`, 1900000000n, true, 7n])
    const history = mappingSlot(slotOf('history'), owner)
    expect(readUint(wordAt(history))).toBe(2n)
    expect([0, 1].map((i) => readUint(wordAt(arraySlot(history, i))))).toEqual([900n, 901n])
  })

  test('strings and bytes, in their slot and beyond it', () => {
    expect(text(slotOf('shortText'))).toBe('Grüße, Welt')
    expect(text(slotOf('longText'))).toBe(
      'The storage of a string that does not fit into its slot lies at the hash of that slot.',
    )
    expect(text(slotOf('empty'))).toBe('')
    const count = (length: number): string => Buffer.from(Array.from({ length }, (_, i) => i)).toString('hex')
    expect(blob(slotOf('exactly31'))).toBe(`0x${count(31)}`)
    expect(bytesSlots(slotOf('exactly31'), wordAt(slotOf('exactly31')))).toEqual([])
    expect(blob(slotOf('exactly32'))).toBe(`0x${count(32)}`)
  })

  test('a namespace of ERC-7201', () => {
    const settings = erc7201Slot('layout.example.settings')
    expect(readUint(wordAt(settings))).toBe(99n)
    expect(readAddress(wordAt(memberSlot(settings, 1)))).toBe(owner)
  })

  test('no word of the contract was left unread', () => {
    expect(Object.keys(words).filter((position) => !read.has(position))).toEqual([])
  })
})
