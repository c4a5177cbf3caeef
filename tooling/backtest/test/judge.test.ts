import { describe, expect, it } from 'vitest'
import { judges } from '../src/judge.ts'
import { smallMarket } from './support/small-market.ts'

const market = smallMarket([
  { baseFee: 1n, tip: 10n, gasUsedRatio: 0.5 },
  { baseFee: 1n, tip: 10n, gasUsedRatio: 0.99 },
  { baseFee: 1n, tip: 0n, gasUsedRatio: 0 },
])

function thresholds(name: string, of = market): readonly bigint[] {
  return judges.find((judge) => judge.name === name)!.thresholds(of)
}

describe('judges', () => {
  it('ask for the tip at their percentile, whether or not the block had room', () => {
    expect(thresholds('p25')).toEqual([10n, 10n, 0n])
    expect(thresholds('p50')).toEqual([20n, 20n, 0n])
    expect(thresholds('p75')).toEqual([30n, 30n, 0n])
  })

  it('take anything where a tenth of the block is left, and else ask for what a tenth of it paid', () => {
    expect(thresholds('p10')).toEqual([5n, 5n, 0n])
    expect(thresholds('90 % full')).toEqual([0n, 5n, 0n])
  })

  it('estimate the marginal tip of a recorded block as the lowest above zero, and as p25 if the block was full', () => {
    const mixed = { ...market, blocks: market.blocks.map((block) => ({ ...block, rewards: [0n, 0n, 0n, 7n, 9n] })) }
    expect(thresholds('marginal', mixed)).toEqual([7n, 0n, 7n])
  })

  it('take the marginal tip of a simulated block from the simulator', () => {
    expect(thresholds('marginal', { ...market, marginalTips: [1n, 2n, 3n] })).toEqual([1n, 2n, 3n])
  })
})
