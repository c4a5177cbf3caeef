import fc from 'fast-check'
import { expect, it } from 'vitest'
import { quantile } from '../src/quantile.ts'

const bounds = [1, 2, 5, 10]

/** The counts of the buckets of some values. */
function countsOf(values: readonly number[]): readonly number[] {
  const counts = [0, 0, 0, 0, 0]
  for (const value of values) {
    const i = bounds.findIndex((bound) => value <= bound)
    counts[i < 0 ? 4 : i]!++
  }
  return counts
}

it.each([
  [0.5, [0.5], 0.5],
  [0.5, [1.5, 1.5, 1.5, 1.5], 1.5],
  [0.99, [20, 30], 10],
  [0.5, [1, 1, 4, 4], 1],
  [0.75, [1, 1, 4, 4], 3.5],
])('of %d of %j is %d', (q, values, expected) => {
  expect(quantile(q, countsOf(values), bounds)).toBeCloseTo(expected)
})

it('of nothing is NaN', () => {
  expect(quantile(0.5, countsOf([]), bounds)).toBeNaN()
})

it('lies in the bucket that the true one lies in', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { minLength: 1 }),
      fc.double({ min: 0.01, max: 1, noNaN: true }),
      (values, q) => {
        const sorted = values.toSorted((a, b) => a - b)
        const truth = sorted[Math.max(0, Math.ceil(q * values.length - 1e-9) - 1)]!
        const upper = bounds.find((bound) => truth <= bound)!
        const lower = bounds[bounds.indexOf(upper) - 1] ?? 0
        const reported = quantile(q, countsOf(values), bounds)
        expect(reported).toBeGreaterThanOrEqual(lower)
        expect(reported).toBeLessThanOrEqual(upper)
      },
    ),
  )
})
