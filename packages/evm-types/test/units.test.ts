import { assert, bigInt, integer, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatUnits, parseUnits } from '../src/index.ts'

describe('units', () => {
  test.each([
    ['1', 18, 10n ** 18n],
    ['0.000000000000000001', 18, 1n],
    ['16.284026964', 9, 16_284_026_964n],
    ['-0.5', 1, -5n],
    ['007.50', 2, 750n],
    ['123456789012345678901234567890', 0, 123456789012345678901234567890n],
    ['1.5', 100, 15n * 10n ** 99n],
  ] as const)('parses %s with %i decimals', (text, decimals, value) => {
    expect(parseUnits(text, decimals)).toBe(value)
  })

  test.each([
    [1n, 18, '0.000000000000000001'],
    [-1500n, 3, '-1.5'],
    [0n, 18, '0'],
    [7n, 0, '7'],
    [10n ** 18n, 18, '1'],
  ] as const)('formats %s with %i decimals', (value, decimals, text) => {
    expect(formatUnits(value, decimals)).toBe(text)
  })

  test.each([
    '',
    '.',
    '1.',
    '.5',
    '1e3',
    '1,5',
    '+1',
    ' 1',
    '1 ',
    '0x1',
    '1.2.3',
    '--1',
    '1_000',
    'Infinity',
    '٣',
    '1\n',
  ])('refuses %j', (text) => {
    expect(() => parseUnits(text, 18)).toThrow(/^amount: expected a decimal number with at most 18 digits/)
  })

  test('refuses digits that would be lost, and says how many fit', () => {
    expect(() => parseUnits('0.0000000001', 9)).toThrow(
      'amount: expected a decimal number with at most 9 digits after the point, got "0.0000000001"',
    )
    expect(() => parseUnits('1.0', 0)).toThrow(/at most 0 digits/)
  })

  test('refuses a count of decimals that is none', () => {
    for (const decimals of [-1, 1.5, 101, Number.NaN]) {
      expect(() => parseUnits('1', decimals)).toThrow(/^decimals: expected an integer from 0 to 100/)
      expect(() => formatUnits(1n, decimals)).toThrow(/^decimals: /)
    }
  })

  test('a text of any length is refused in no time and quoted short', () => {
    expect(() => parseUnits('1'.repeat(1_000_000), 18)).toThrow(/^amount: .{1,200}$/)
  })

  test('parsing undoes formatting, for every number', () => {
    assert(
      property(bigInt(), integer({ min: 0, max: 30 }), (value, decimals) => {
        expect(parseUnits(formatUnits(value, decimals), decimals)).toBe(value)
      }),
    )
  })
})
