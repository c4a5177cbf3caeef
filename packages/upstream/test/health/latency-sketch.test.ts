import { describe, expect, it } from 'vitest'
import { createLatencySketch } from '../../src/health/latency-sketch.ts'
import { around, seeded } from '../simulation.ts'

const ms = (log2: number): number => 2 ** log2

describe('a latency sketch', () => {
  it('knows no quantile while it is empty', () => {
    expect(createLatencySketch().quantile(0.5)).toBeNaN()
  })

  it.each([0.5, 0.9, 0.95, 0.99])('tells the quantile %d of a thousand latencies within 5 %%', (q) => {
    for (const median of [0.4, 20, 3_000]) {
      const random = seeded(7)
      const latency = around(median, 0.7)
      const all = Array.from({ length: 1_000 }, () => latency(random))
      const sketch = createLatencySketch()
      for (const one of all) sketch.add(Math.log2(one))
      const exact = all.toSorted((a, b) => a - b)[Math.ceil(q * all.length) - 1]!
      expect(Math.abs(ms(sketch.quantile(q)) / exact - 1)).toBeLessThan(0.05)
    }
  })

  it('forgets what is old', () => {
    const sketch = createLatencySketch()
    for (let i = 0; i < 5_000; i++) sketch.add(Math.log2(10))
    for (let i = 0; i < 1_100; i++) sketch.add(Math.log2(1_000))
    expect(ms(sketch.quantile(0.5))).toBeGreaterThan(900)
    expect(sketch.count).toBeLessThan(1_024)
  })

  it('takes any number, the slowest for its slowest', () => {
    const sketch = createLatencySketch()
    for (const log2 of [Number.NEGATIVE_INFINITY, Number.NaN, -20]) sketch.add(log2)
    expect(ms(sketch.quantile(1))).toBeLessThan(0.1)
    for (const log2 of [Number.POSITIVE_INFINITY, 40]) sketch.add(log2)
    expect(ms(sketch.quantile(1))).toBeGreaterThan(200_000)
  })
})
