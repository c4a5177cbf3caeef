import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fillBlock, type Pending } from '../../src/simulator/fill-block.ts'
import { createRandom } from '../../src/simulator/random.ts'

const gasLimit = 3_000_000

const pools = fc.array(
  fc.record<Pending>({
    maxTip: fc.integer({ min: 0, max: 100 }),
    maxFee: fc.integer({ min: 0, max: 300 }),
    gas: fc.integer({ min: 21_000, max: 900_000 }),
    expires: fc.constant(9),
  }),
  { maxLength: 30 },
)

describe('fillBlock', () => {
  it('uses no more than the gas limit, and takes or leaves each transaction', () => {
    fc.assert(
      fc.property(pools, fc.integer(), fc.integer({ min: 0, max: 200 }), (pool, seed, baseFee) => {
        const profile = { gasLimit, leastTip: 1, privateFlow: 0.1, unheard: 0.1 }
        const block = fillBlock(profile, createRandom(seed), pool, baseFee)
        expect(block.gasUsed).toBeLessThanOrEqual(gasLimit)
        const waiting = new Set(block.left)
        for (const transaction of pool) {
          if (waiting.has(transaction)) continue
          expect(Math.min(transaction.maxTip, transaction.maxFee - baseFee)).toBeGreaterThanOrEqual(1)
        }
        const readings = [0, 25, 50, 75, 100].map((percentile) => block.tipAt(percentile))
        expect(readings).toEqual(readings.toSorted((a, b) => a - b))
      }),
    )
  })

  it('tells as the marginal tip what the lowest public one was, and only where there was no room for another', () => {
    const pool = [9, 8, 7].map((maxTip): Pending => ({ maxTip, maxFee: 50, gas: 1_000_000, expires: 9 }))
    const fill = (limit: number) =>
      fillBlock({ gasLimit: limit, leastTip: 2, privateFlow: 0, unheard: 0 }, createRandom(1), pool, 10).marginalTip
    expect(fill(2_000_000)).toBe(8)
    expect(fill(2_140_000)).toBe(8)
    expect(fill(2_160_000)).toBe(2)
    expect(fill(9_000_000)).toBe(2)
  })

  it('reads tips by gas as eth_feeHistory does', () => {
    const pool: Pending[] = [
      { maxTip: 1, maxFee: 99, gas: 100_000, expires: 9 },
      { maxTip: 5, maxFee: 99, gas: 300_000, expires: 9 },
      { maxTip: 9, maxFee: 99, gas: 100_000, expires: 9 },
    ]
    const block = fillBlock({ gasLimit, leastTip: 0, privateFlow: 0, unheard: 0 }, createRandom(1), pool, 10)
    expect([0, 20, 21, 80, 81, 100].map((percentile) => block.tipAt(percentile))).toEqual([1, 1, 5, 5, 9, 9])
  })
})
