import { describe, expect, it } from 'vitest'
import { ago, bytes, compact, ms, percent, perSecond, plural, span } from '../../src/page/text/format.ts'

describe('numbers for people', () => {
  it.each([
    [percent(0, 0), '–'],
    [percent(0, 10), '0 %'],
    [percent(1, 1_000_000), '< 0.01 %'],
    [percent(999_999, 1_000_000), '> 99.99 %'],
    [percent(10, 10), '100 %'],
    [percent(1, 3), '33.3 %'],
    [percent(1, 700), '0.14 %'],
    [ms(0.25), '0.25 ms'],
    [ms(12.34), '12.3 ms'],
    [ms(640.4), '640 ms'],
    [ms(2_000), '2 s'],
    [ms(61_000), '61 s'],
    [bytes(0), '0 B'],
    [bytes(999), '999 B'],
    [bytes(1_000), '1 kB'],
    [bytes(999_600), '1 MB'],
    [bytes(136_200_000), '136 MB'],
    [compact(9_999), '9,999'],
    [compact(1_234_567), '1.2M'],
    [perSecond(0), '0/s'],
    [perSecond(0.5), '0.5/s'],
    [perSecond(20_500), '20.5K/s'],
    [span(0), '0s'],
    [span(61_000), '1m 1s'],
    [span(3 * 86_400_000 + 4 * 3_600_000), '3d 4h'],
    [ago(1_000, 3_000), 'now'],
    [ago(0, 7_200_000), '2h ago'],
    [ago(7_200_000, 0), 'in 2h'],
    [plural(1, 'key'), '1 key'],
    [plural(1_200, 'key'), '1,200 keys'],
  ])('are short: %s', (printed, expected) => {
    expect(printed).toBe(expected)
  })
})
