import { createHedging, patienceMs } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { answerAll, candidate } from '../selection/candidates.ts'

describe('hedging', () => {
  it('waits for the upstream’s own 95th percentile, once it is known', () => {
    const hedging = createHedging()
    const [a, b] = [candidate('a'), candidate('b')]
    answerAll(a, 19, 20)
    expect(hedging.afterMs(a, b, 'read')).toBeUndefined()
    answerAll(a, 100, 20, 1_000)
    expect(hedging.afterMs(a, b, 'read')).toBeCloseTo(20, -0.5)
    expect(hedging.afterMs(a, b, 'heavy')).toBeUndefined()
    expect(hedging.afterMs(a, undefined, 'read')).toBeUndefined()
  })

  it('asks no fallback, not the same node, and no paid upstream unless told to', () => {
    const hedging = createHedging()
    const a = candidate('a')
    answerAll(a, 100, 20)
    expect(hedging.afterMs(a, candidate('b', { tier: 'fallback' }), 'read')).toBeUndefined()
    expect(hedging.afterMs(a, candidate('b', { health: a.health }), 'read')).toBeUndefined()
    const paid = candidate('b', { price: 1 })
    expect(hedging.afterMs(a, paid, 'read')).toBeUndefined()
    expect(createHedging({ evenPaid: true }).afterMs(a, paid, 'read')).toBeGreaterThan(15)
  })

  it('spends a part of the calls, and a few at once', () => {
    const hedging = createHedging({ share: 0.05, burst: 3 })
    const taken = (): number => Array.from({ length: 50 }, hedging.take).filter(Boolean).length
    expect(taken()).toBe(3)
    for (let i = 0; i < 41; i++) hedging.counted()
    expect(taken()).toBe(2)
    for (let i = 0; i < 10_000; i++) hedging.counted()
    expect(taken()).toBe(3)
  })
})

it('patience lasts for a second where nothing is known, and five times the slowest percent else', () => {
  const a = candidate('a')
  expect(patienceMs(a, 'read')).toBe(1_000)
  answerAll(a, 100, 100)
  expect(patienceMs(a, 'read')).toBeGreaterThan(450)
  expect(patienceMs(a, 'read')).toBeLessThan(550)
})
