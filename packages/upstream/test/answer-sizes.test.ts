import { expect, it } from 'vitest'
import { createAnswerSizes } from '../src/answer-sizes.ts'

const kB = 1_024

it('calls count as one slot until long answers have come, and as more after the first of them', () => {
  const sizes = createAnswerSizes()
  sizes.note('small', 1 * kB)
  expect([sizes.slots('small'), sizes.slots('long')]).toEqual([1, 1])
  sizes.note('long', 1_024 * kB)
  expect(sizes.slots('long')).toBe(5)
  for (let i = 0; i < 10; i++) sizes.note('long', 1_024 * kB)
  expect([sizes.slots('small'), sizes.slots('long')]).toEqual([1, 8])
})

it('calls count as 16 slots at most, and as one again some short answers later', () => {
  const sizes = createAnswerSizes()
  for (let i = 0; i < 20; i++) sizes.note('long', 100_000 * kB)
  expect(sizes.slots('long')).toBe(16)
  let answers = 0
  for (; sizes.slots('long') > 1; answers++) sizes.note('long', 1)
  expect(answers).toBeGreaterThan(16)
  expect(answers).toBeLessThan(128)
})
