import { expect, it } from 'vitest'
import { timeWrongKeys, welch } from '../src/wrong-keys.ts'

it('Welch’s t is that of a known example', () => {
  // Means 3 and 6, variances 2.5 each: -3 / sqrt(2.5 / 5 + 2.5 / 5).
  expect(welch([1, 2, 3, 4, 5], [4, 5, 6, 7, 8])).toBeCloseTo(-3, 10)
  expect(welch([1, 2], [2, 1])).toBe(0)
})

it('times each case, every call a refusal', () => {
  let now = 0
  const times = timeWrongKeys(10, () => (now += 1))
  expect(times.map(({ name }) => name)).toEqual([
    'an unknown key',
    ...[0, 1, 16, 31].map((shared) => `a secret that shares ${shared} bytes`),
  ])
  // The clock moves by a millisecond with each reading: 500 calls take one.
  expect(times.map(({ medianNanos, t }) => [medianNanos, t])).toEqual(times.map(() => [2_000, 0]))
})
