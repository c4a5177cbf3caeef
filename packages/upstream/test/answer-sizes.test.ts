import { expect, it } from 'vitest'
import { createAnswerSizes } from '../src/answer-sizes.ts'

const kB = 1_024

it('calls of a project that nobody knows count as several, and as one after some short answers', () => {
  const sizes = createAnswerSizes()
  expect(sizes.slots('new')).toBe(5)
  let answers = 0
  for (; sizes.slots('new') > 1; answers++) sizes.note('new', 40)
  expect(answers).toBeGreaterThan(10)
  expect(answers).toBeLessThan(25)
})

it('the calls of the host itself count as one', () => {
  const sizes = createAnswerSizes()
  for (let i = 0; i < 10; i++) sizes.note(undefined, 1_024 * kB)
  expect(sizes.slots(undefined)).toBe(1)
})

it('the first long answers of a project make its calls count as more, those of another do not', () => {
  const sizes = createAnswerSizes()
  for (let i = 0; i < 100; i++) for (const tenant of ['long', 'short']) sizes.note(tenant, 1 * kB)
  for (let i = 0; i < 3; i++) sizes.note('long', 1_024 * kB)
  expect([sizes.slots('short'), sizes.slots('long')]).toEqual([1, 8])
})

it('calls count as 16 slots at most', () => {
  const sizes = createAnswerSizes()
  for (let i = 0; i < 20; i++) sizes.note('long', 100_000 * kB)
  expect(sizes.slots('long')).toBe(16)
})
