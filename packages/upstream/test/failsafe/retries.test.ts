import { createRetries } from '@wayleave/upstream'
import { expect, it } from 'vitest'
import { seeded } from '../simulation.ts'

it('allows two rounds, with a short random pause between them', () => {
  const retries = createRetries({ random: seeded(1) })
  const pauses = Array.from({ length: 20 }, () => retries.again(1)!)
  expect(new Set(pauses).size).toBe(20)
  expect(Math.max(...pauses)).toBeLessThanOrEqual(50)
  expect(createRetries({ random: seeded(1) }).again(2)).toBeUndefined()
})

it('makes an outage no worse: further rounds are a tenth of the calls at most', () => {
  const retries = createRetries({ random: () => 0, burst: 2 })
  let rounds = 0
  for (let i = 0; i < 1_000; i++) {
    retries.counted()
    if (retries.again(1) !== undefined) rounds++
  }
  expect(rounds).toBeLessThanOrEqual(102)
  expect(rounds).toBeGreaterThanOrEqual(98)
})
