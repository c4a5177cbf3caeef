import { readFileSync } from 'node:fs'
import { assert, bigInt, integer, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  arraySlot,
  erc1967Slot,
  erc7201Slot,
  fixedArraySlot,
  type Hex,
  mappingSlot,
  type MappingKey,
  memberSlot,
  packedPlace,
  type Slot,
} from '../src/index.ts'

interface CastCase {
  readonly type: string
  readonly key: string
  readonly slot: string
  readonly position: string
}
const { cases } = JSON.parse(readFileSync(new URL('./vectors/cast-index.json', import.meta.url), 'utf8')) as {
  cases: readonly CastCase[]
}

function keyOf({ type, key }: CastCase): MappingKey {
  if (type === 'string') return { string: key }
  if (type === 'bool') return key === 'true'
  return type.includes('int') ? BigInt(key) : (key as Hex)
}

describe('the position of a mapping element', () => {
  test.each(cases.filter(({ type }) => type !== 'erc7201'))('is what cast index gives: $type $key $slot', (each) => {
    expect(mappingSlot(BigInt(each.slot), keyOf(each))).toBe(each.position)
  })

  test('is the same for a small number, a bigint, and hex of any padding as the slot', () => {
    const position = mappingSlot(10n, 3n)
    expect(mappingSlot(10, 3)).toBe(position)
    expect(mappingSlot('0xa', 3)).toBe(position)
    expect(mappingSlot(`0x${'0A'.padStart(64, '0')}`, 3)).toBe(position)
  })

  test('of nested mappings takes the outermost key first', () => {
    expect(mappingSlot(4, 1n, true, { string: 'x' })).toBe(
      mappingSlot(mappingSlot(mappingSlot(4, 1n), true), { string: 'x' }),
    )
    expect(mappingSlot(4, 1n, 2n)).not.toBe(mappingSlot(4, 2n, 1n))
  })

  test('does not depend on the case of an address', () => {
    const address = '0xabcdefabcdefabcdefabcdefabcdefabcdefabcd'
    expect(mappingSlot(0, `0x${address.slice(2).toUpperCase()}`)).toBe(mappingSlot(0, address))
  })

  test.each<[MappingKey, RegExp]>([
    ['0x1234', /key: expected hex of 20 bytes .* got 0x1234/],
    ['hello' as Hex, /key: expected hex of 20 bytes/],
    [2n ** 256n, /key: expected an integer of at most 256 bits/],
    [-(2n ** 255n) - 1n, /key: expected an integer/],
    [2 ** 53, /beyond 2\^53 - 1 a bigint/],
    [1.5, /key: expected an integer/],
    [{ bytes: '0x123' }, /key\.bytes: expected bytes in hex/],
    [{ fixedBytes: '0x' }, /key\.fixedBytes: expected hex of 1 to 32 bytes/],
    [{ fixedBytes: `0x${'11'.repeat(33)}` }, /key\.fixedBytes/],
  ])('is refused for the key %o', (key, message) => {
    expect(() => mappingSlot(0, key)).toThrow(message)
  })

  test.each<Slot>([-1, 2 ** 53, 2n ** 256n, 1.5, '0x', 'latest' as Hex, `0x${'1'.repeat(65)}`])(
    'is refused for the slot %s',
    (slot) => {
      expect(() => mappingSlot(slot, 0)).toThrow(/^slot: expected an integer from 0/)
    },
  )
})

describe('other positions', () => {
  test('a dynamic array starts at the hash of its slot', () => {
    // keccak256 of 32 zero bytes, as documentation everywhere quotes it.
    expect(arraySlot(0, 0)).toBe('0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563')
    expect(BigInt(arraySlot(0, 7, 3)) - BigInt(arraySlot(0, 0))).toBe(21n)
  })

  test('positions wrap at 2^256', () => {
    expect(memberSlot(2n ** 256n - 1n, 2)).toBe(`0x${'1'.padStart(64, '0')}`)
  })

  test('negative and fractional indexes are refused by their name', () => {
    expect(() => arraySlot(0, -1)).toThrow(/^index: /)
    expect(() => fixedArraySlot(0, 1, 0.5)).toThrow(/^elementSlots: /)
    expect(() => memberSlot(0, -1n)).toThrow(/^distance: /)
    expect(() => packedPlace(0, 0, 17)).toThrow('size: expected an integer from 1 to 16')
  })

  test('packed elements never cross slots, never overlap, and fill each slot from the low end', () => {
    assert(
      property(bigInt({ min: 0n, max: 2n ** 64n }), integer({ min: 1, max: 16 }), (index, size) => {
        const here = packedPlace(5, index, size)
        const next = packedPlace(5, index + 1n, size)
        expect(here.offset + size).toBeLessThanOrEqual(32)
        if (next.slot === here.slot) expect(next.offset).toBe(here.offset + size)
        else {
          expect(next).toMatchObject({ slot: memberSlot(here.slot, 1), offset: 0 })
          expect(here.offset + 2 * size).toBeGreaterThan(32)
        }
      }),
    )
  })

  // Slots as the two standards print them.
  test.each([
    ['implementation', '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'],
    ['beacon', '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50'],
    ['admin', '0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103'],
  ] as const)('ERC-1967: %s', (name, slot) => {
    expect(erc1967Slot(name)).toBe(slot)
  })

  test('ERC-7201: the standard’s example, and those of cast', () => {
    expect(erc7201Slot('example.main')).toBe('0x183a6125c38840424c4a85fa12bab2ab606c4b6d0e7cc73c0c06ba5300eab500')
    const namespaces = cases.filter(({ type }) => type === 'erc7201')
    expect(namespaces.length).toBeGreaterThan(2)
    for (const { key, position } of namespaces) expect(erc7201Slot(key)).toBe(position)
  })
})
