import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseRetryAfter } from '../src/http-transport.ts'

const now = Date.parse('2026-01-02T03:04:05Z')

it.each([
  ['7', 7_000],
  [' 7 ', 7_000],
  ['0', 0],
  ['Fri, 02 Jan 2026 03:04:35 GMT', 30_000],
  ['Friday, 02-Jan-26 03:04:35 GMT', 30_000],
  ['Fri Jan  2 03:04:35 2026 GMT', 30_000],
  ['Thu, 01 Jan 2026 00:00:00 GMT', 0],
])('reads %j', (value, expected) => {
  expect(parseRetryAfter(value, now)).toBe(expected)
})

it.each([null, '', '-1', '1.5', '7s', 'soon', '99999999999', '2026-01-02', 'NaN', '0x10'])(
  'reads no time in %j',
  (value) => {
    expect(parseRetryAfter(value, now)).toBeUndefined()
  },
)

it('never gives a negative or unusable time', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const ms = parseRetryAfter(value, now)
      expect(ms === undefined || (Number.isFinite(ms) && ms >= 0)).toBe(true)
    }),
  )
})
