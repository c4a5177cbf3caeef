import { assert, bigInt, maxSafeNat, oneof, anything, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blockParameterToHex, parseQuantity, receiptsBlockParameterSchema } from '../src/index.ts'

describe('blockParameterToHex', () => {
  test('prints every decimal block number, as number or string, exactly', () => {
    assert(
      property(maxSafeNat(), bigInt({ min: 0n, max: 2n ** 64n - 1n }), (number, large) => {
        expect(parseQuantity(blockParameterToHex(number)!)).toBe(BigInt(number))
        expect(parseQuantity(blockParameterToHex(String(large))!)).toBe(large)
      }),
    )
  })

  test.each([
    'latest',
    'pending',
    '0x1b4',
    '0X1',
    `0x${'ab'.repeat(32)}`,
    '',
    'newest',
    null,
    undefined,
    true,
    [1],
    {},
  ])('leaves %j to whoever checks it', (block) => {
    expect(blockParameterToHex(block)).toBeUndefined()
  })

  test('refuses a number that lost digits on its way, rather than ask for another block', () => {
    const asSent = JSON.parse('9007199254740993') as number
    expect(String(asSent)).toBe('9007199254740992')
    expect(() => blockParameterToHex(asSent)).toThrow(/lost digits: write it as a string/)
    expect(blockParameterToHex('9007199254740993')).toBe('0x20000000000001')
  })

  test.each([-1, 1.5, Number.NaN, Infinity, 2 ** 53, '007', '1e3', '-1', '+1', '1.0', '12 ', '18446744073709551616'])(
    'refuses %j',
    (block) => {
      expect(() => blockParameterToHex(block)).toThrow(/^block: expected a (decimal )?block number/)
      expect(receiptsBlockParameterSchema.check(block, '')).toBeDefined()
    },
  )

  test('a rewritten block is one that the schema takes, and what the schema takes is rewritten or left', () => {
    assert(
      property(oneof(anything(), maxSafeNat(), string()), (block) => {
        if (receiptsBlockParameterSchema.check(block, '') !== undefined) return
        const hex = blockParameterToHex(block)
        if (hex !== undefined) expect(receiptsBlockParameterSchema.check(hex, '')).toBeUndefined()
        else expect(['string', 'object']).toContain(typeof block)
      }),
    )
  })
})
