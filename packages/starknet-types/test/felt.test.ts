import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalFelt, feltSchema, fieldPrime, parseFelt, printFelt } from '../src/index.ts'

const felts = fc.oneof(fc.bigInt({ min: 0n, max: fieldPrime - 1n }), fc.nat().map(BigInt))

test('the prime is 2^251 + 17 · 2^192 + 1', () => {
  expect(fieldPrime).toBe(2n ** 251n + 17n * 2n ** 192n + 1n)
})

test('a felt that was printed is read as what it was, padded or not, in either case', () => {
  fc.assert(
    fc.property(felts, fc.boolean(), fc.nat(64), (value, upper, digits) => {
      const felt = printFelt(value)
      expect(felt).toMatch(/^0x(?:0|[1-9a-f][0-9a-f]{0,62})$/)
      const padded = felt.slice(2).padStart(digits, '0')
      const written = `0x${upper ? padded.toUpperCase() : padded}`
      expect(parseFelt(written)).toBe(value)
      expect(canonicalFelt(written)).toBe(felt)
      expect(feltSchema.check(written, '')).toBeUndefined()
    }),
  )
})

describe('what is no felt', () => {
  test.each([
    '',
    '0x',
    '1',
    '0X1',
    '-0x1',
    '0x-1',
    ' 0x1',
    '0x1\n',
    '0xg',
    `0x${fieldPrime.toString(16)}`,
    `0x${'f'.repeat(63)}`,
    `0x${'0'.repeat(65)}`,
  ])('%j is refused, by both', (text) => {
    expect(feltSchema.check(text, '')).toBeDefined()
    expect(() => parseFelt(text)).toThrow(/^felt: expected a felt \(0x, up to 64 hex digits, below/)
  })

  test.each([1, 1n, null, undefined, ['0x1'], {}])('%s is no text', (value) => {
    expect(feltSchema.check(value, '')).toBeDefined()
  })
})

test('the last felt is the prime less one', () => {
  expect(parseFelt(printFelt(fieldPrime - 1n))).toBe(fieldPrime - 1n)
})

test.each([-1, -1n, 1.5, Number.NaN, 2 ** 53, fieldPrime])('%s cannot be printed', (value) => {
  expect(() => printFelt(value)).toThrow(/^felt: expected a bigint from 0/)
})

test('the address of a published request is padded, and means its canonical form', () => {
  expect(canonicalFelt('0x0019bd7ebd72368deb5f160f784e21aa46cd09e06a61dc15212456b5597f47b8')).toBe(
    '0x19bd7ebd72368deb5f160f784e21aa46cd09e06a61dc15212456b5597f47b8',
  )
})
