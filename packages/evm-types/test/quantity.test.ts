import { SchemaError } from '@wayleave/jsonrpc-core/schema'
import { assert, bigInt, maxSafeNat, property, stringMatching } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseQuantity, printQuantity, quantitySchema } from '../src/index.ts'

const numbers = bigInt({ min: 0n, max: 2n ** 256n - 1n })

describe('parseQuantity', () => {
  test.each([
    ['0x0', 0n],
    ['0x41', 65n],
    ['0x400', 1024n],
    ['0xFf', 255n],
    [`0x${'f'.repeat(64)}`, 2n ** 256n - 1n],
  ])('reads %s exactly', (text, value) => {
    expect(parseQuantity(text)).toBe(value)
  })

  test.each([
    '',
    '0',
    '123',
    '0x',
    '0x01',
    '0x00',
    '0X1',
    '-0x1',
    '0x-1',
    ' 0x1',
    '0x1 ',
    '0x1\n',
    '0x1g',
    '0x1_0',
    `0x1${'0'.repeat(64)}`,
  ])('refuses %j', (text) => {
    expect(() => parseQuantity(text)).toThrow(SchemaError)
  })

  test('says what was expected and what came', () => {
    expect(() => parseQuantity('0x01')).toThrow(
      'quantity: expected a hex quantity (0x0, 0x1b4: no leading zeros), got "0x01"',
    )
  })

  test('refuses what is no string', () => {
    expect(() => parseQuantity(1n as unknown as string)).toThrow(SchemaError)
    expect(() => parseQuantity(['0x1'] as unknown as string)).toThrow(SchemaError)
  })

  test('parses exactly what the schema accepts', () => {
    const nearly = stringMatching(/^0?[xX]?[0-9a-fA-Fg]{0,66}$/)
    assert(
      property(nearly, (text) => {
        const accepted = quantitySchema.check(text, '') === undefined
        let parsed = true
        try {
          parseQuantity(text)
        } catch {
          parsed = false
        }
        expect(parsed).toBe(accepted)
      }),
    )
  })
})

describe('printQuantity', () => {
  test('prints zero as 0x0', () => {
    expect(printQuantity(0)).toBe('0x0')
    expect(printQuantity(-0)).toBe('0x0')
    expect(printQuantity(0n)).toBe('0x0')
  })

  test.each([-1, -1n, 1.5, Number.NaN, Infinity, 2 ** 53, 2n ** 256n])('refuses %s', (value) => {
    expect(() => printQuantity(value)).toThrow(SchemaError)
  })

  test('is undone by parseQuantity, for every 256-bit number', () => {
    assert(
      property(numbers, (value) => {
        expect(parseQuantity(printQuantity(value))).toBe(value)
      }),
    )
  })

  test('prints the same for a number as for a bigint', () => {
    assert(
      property(maxSafeNat(), (value) => {
        expect(printQuantity(value)).toBe(printQuantity(BigInt(value)))
      }),
    )
  })

  test('undoes parseQuantity but for the case of digits', () => {
    assert(
      property(stringMatching(/^[1-9a-fA-F][0-9a-fA-F]{0,63}$/), (digits) => {
        expect(printQuantity(parseQuantity(`0x${digits}`))).toBe(`0x${digits.toLowerCase()}`)
      }),
    )
  })
})
