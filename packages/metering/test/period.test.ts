import { createLimits } from '@wayleave/metering'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

/** The end of the period of a spent quota, as its refusal tells. */
function resetOf(window: 'perDay' | 'perMonth', date: number): number | undefined {
  const clock = { now: () => 0, date: () => date, after: () => () => {} }
  const limiter = createLimits({ clock }).of({ id: 'k', plan: { [window]: { credits: 0 } } }, { id: 'p' })
  return limiter.admit('eth_call', '', 1)?.resetsAt
}

const dates = fc.date({ min: new Date('1970-01-01'), max: new Date('2400-01-01'), noInvalidDate: true })

describe('a period', () => {
  it('of a day ends at the next 00:00 UTC', () => {
    fc.assert(
      fc.property(dates, (date) => {
        const next = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1)
        expect(resetOf('perDay', date.getTime())).toBe(next)
      }),
    )
  })

  it('of a month ends on the first of the next, UTC, leap years and the last millisecond included', () => {
    const last = fc
      .tuple(fc.integer({ min: 1970, max: 2399 }), fc.nat(11))
      .map(([y, m]) => new Date(Date.UTC(y, m + 1) - 1))
    fc.assert(
      fc.property(fc.oneof(dates, last), (date) => {
        const next = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
        expect(resetOf('perMonth', date.getTime())).toBe(next)
      }),
    )
  })
})
