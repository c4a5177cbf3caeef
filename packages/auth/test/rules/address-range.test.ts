import { BlockList } from 'node:net'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isInRanges, parseAddressRange } from '../../src/rules/address-range.ts'

const isIn = (address: string, ...blocks: readonly string[]): boolean =>
  isInRanges(
    blocks.map((block) => parseAddressRange(block)!),
    address,
  )

/** Addresses that often share a prefix. */
const v4 = fc
  .tuple(fc.constantFrom(10, 192), fc.constantFrom(0, 168), fc.nat(255), fc.nat(255))
  .map((parts) => parts.join('.'))
const group = fc.oneof(fc.constant(0), fc.constant(0x2001), fc.nat(0xffff))
const v6 = fc
  .tuple(fc.constant(0x2001), ...Array.from({ length: 7 }, () => group))
  .map((groups) => groups.map((each) => each.toString(16)).join(':'))

describe('a CIDR block', () => {
  test('holds the addresses that the block list of Node finds in it', () => {
    const law = (kind: 'ipv4' | 'ipv6', address: fc.Arbitrary<string>, bits: number) =>
      fc.assert(
        fc.property(address, address, fc.nat(bits), (block, asked, prefix) => {
          const list = new BlockList()
          list.addSubnet(block, prefix, kind)
          expect(isIn(asked, `${block}/${prefix}`)).toBe(list.check(asked, kind))
          expect(isIn(block, `${block}/${prefix}`)).toBe(true)
        }),
        { numRuns: 500 },
      )
    law('ipv4', v4, 32)
    law('ipv6', v6, 128)
  })

  test('of one family holds no address of the other, but IPv4 in IPv6 form is IPv4', () => {
    expect(isIn('10.1.2.3', '::/0')).toBe(false)
    expect(isIn('::ffff:10.1.2.3', '::/0')).toBe(false)
    expect(isIn('::1', '0.0.0.0/0')).toBe(false)
    expect(isIn('::ffff:10.1.2.3', '10.0.0.0/8')).toBe(true)
    expect(isIn('::ffff:a01:203', '10.0.0.0/8')).toBe(true)
  })

  test('may be a single address, in any of the forms that it is written in', () => {
    expect(isIn('127.0.0.1', '127.0.0.1')).toBe(true)
    expect(isIn('127.0.0.2', '127.0.0.1')).toBe(false)
    for (const form of ['2001:db8::1', '2001:DB8:0:0:0:0:0:1', '2001:0db8::0.0.0.1', '2001:db8:0:0::1']) {
      expect(isIn(form, '2001:db8::1')).toBe(true)
    }
    expect(isIn('fe80::1%eth0', 'fe80::/10')).toBe(true)
    expect(isIn('::', '::')).toBe(true)
  })

  test('is refused where it is malformed, or could be meant for either family', () => {
    const malformed = [
      '',
      '10',
      '10.0.0',
      '10.0.0.0/33',
      '10.0.0.0/',
      '10.0.0.0/08',
      '010.0.0.1',
      '256.0.0.1',
      '1.2.3.4.5',
    ]
    const malformed6 = [
      ':',
      ':::',
      '1::2::3',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '::/129',
      '12345::',
      '::1.2.3',
      '1.2.3.4::',
    ]
    for (const text of [
      ...malformed,
      ...malformed6,
      '1:2:3:4:5:6:7::8',
      'fe80::1%eth0',
      '::ffff:10.0.0.0/104',
      'localhost',
    ])
      expect([text, parseAddressRange(text)]).toEqual([text, undefined])
  })
})

test('a caller without a readable address is in no block', () => {
  for (const address of ['', 'unknown', '10.0.0.1:80', ' 10.0.0.1', '[::1]']) {
    expect(isIn(address, '0.0.0.0/0', '::/0')).toBe(false)
  }
})
