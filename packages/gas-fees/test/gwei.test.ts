import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ethFromWei, GasFeesError, gweiFromWei, weiFromGwei } from '../src/index.ts'

const { normalizeGwei } = JSON.parse(
  readFileSync(new URL('vectors/metamask-fixtures.json', import.meta.url), 'utf8'),
) as { normalizeGwei: readonly [string, string][] }

test.each(normalizeGwei)('%s gwei is read and printed as %s', (given, expected) => {
  expect(gweiFromWei(weiFromGwei(given))).toBe(expected)
})

test('what is printed is read again, without exponent, superfluous zeros or a tenth decimal', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n }), (wei) => {
      const gwei = gweiFromWei(wei)
      expect(gwei).toMatch(/^(0|[1-9]\d*)(\.\d{0,8}[1-9])?$/)
      expect(weiFromGwei(gwei)).toBe(wei)
    }),
  )
})

test.each(['', '.', '1e9', '-1', '+1', '1,5', ' 1', '0x1', '1.2.3', 'NaN', '1'.repeat(101)])(
  '%j is no gwei',
  (text) => {
    expect(() => weiFromGwei(text)).toThrow(GasFeesError)
  },
)

test.each([
  [0n, '0'],
  [1n, '0.000000000000000001'],
  [10n ** 18n, '1'],
  [123n * 10n ** 17n, '12.3'],
])('%d wei are %s ETH', (wei, eth) => {
  expect(ethFromWei(wei)).toBe(eth)
})
