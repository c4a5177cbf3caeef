import type { FeeHistory } from '@wayleave/gas-fees'
import { describe, expect, it } from 'vitest'
import { alloyOffer, foundryOffer, frameOffer } from '../../src/peers/libraries.ts'

const gwei = 1_000_000_000n

/** Blocks whose every percentile is the tip, half full if no ratio is given. */
function historyOf(tips: readonly bigint[], ratios: readonly number[] = [], baseFeePerGas = gwei): FeeHistory {
  return {
    percentiles: [10, 20, 50],
    blocks: tips.map((tip, number) => ({
      number,
      baseFeePerGas,
      gasUsedRatio: ratios[number] ?? 0.5,
      rewards: [tip, tip, tip],
    })),
    nextBaseFeePerGas: baseFeePerGas,
    blockTimeMs: 1_000,
  }
}

describe('alloyOffer', () => {
  // The values of alloy's own tests.
  it.each([
    [[10n, 200n, 3n], 10n],
    [[400n, 2n, 5n, 3n], 4n],
    [[0n, 0n, 0n], 1n],
  ])('takes the median of tips above 0 (%#)', (tips, median) => {
    expect(alloyOffer(historyOf(tips)).maxPriorityFeePerGas).toBe(median)
  })

  it('doubles the base fee, and looks at ten blocks', () => {
    expect(alloyOffer(historyOf([200n * gwei, 200n * gwei, 300n * gwei]))).toEqual({
      maxPriorityFeePerGas: 200n * gwei,
      maxFeePerGas: 202n * gwei,
    })
    expect(alloyOffer(historyOf([900n, 900n, ...Array<bigint>(10).fill(7n)])).maxPriorityFeePerGas).toBe(7n)
  })
})

describe('foundryOffer', () => {
  // The values of Foundry's own tests.
  it('passes over blocks that are less than a tenth full', () => {
    const history = historyOf([500n, 2n, 800n, 3n, 999n], [0.01, 0.5, 0.03, 0.7, 0.02])
    expect(foundryOffer(history, 'medium').maxPriorityFeePerGas).toBe(2n)
    expect(foundryOffer(historyOf([10n, 20n], [0.1, 0.09]), 'medium').maxPriorityFeePerGas).toBe(10n)
    expect(foundryOffer(historyOf([0n, 41_000n * gwei, 0n], [0.5, 0.001, 0.5], 20n * gwei), 'medium')).toEqual({
      maxPriorityFeePerGas: 1n,
      maxFeePerGas: 40n * gwei + 1n,
    })
  })

  it('has three presets', () => {
    const history = historyOf([100n])
    const blocks = [{ ...history.blocks[0]!, rewards: [10n, 20n, 50n] }]
    expect(foundryOffer({ ...history, blocks }, 'low')).toEqual({
      maxPriorityFeePerGas: 10n,
      maxFeePerGas: (3n * gwei) / 2n + 10n,
    })
    expect(foundryOffer({ ...history, blocks }, 'high')).toEqual({
      maxPriorityFeePerGas: 50n,
      maxFeePerGas: 2n * gwei + 50n,
    })
  })
})

describe('frameOffer', () => {
  it('takes the middle tip, in the order of text, and room for two steps', () => {
    expect(frameOffer(historyOf([9n, 10n, 11n]), 1)).toEqual({
      maxPriorityFeePerGas: 11n,
      maxFeePerGas: (gwei * 81n) / 64n + 11n,
    })
  })

  it('prefers blocks that are neither almost empty nor almost full', () => {
    expect(frameOffer(historyOf([5n, 700n, 800n, 900n], [0.5, 0.95, 1, 0.05]), 1).maxPriorityFeePerGas).toBe(5n)
    expect(frameOffer(historyOf([5n, 6n], [0.05, 1]), 1).maxPriorityFeePerGas).toBe(6n)
    expect(frameOffer(historyOf([5n, 6n], [0.05, 0]), 1).maxPriorityFeePerGas).toBe(5n)
    expect(frameOffer(historyOf([5n, 6n], [0, 0]), 1).maxPriorityFeePerGas).toBe(6n)
  })

  it('offers 30 gwei or more on Polygon', () => {
    expect(frameOffer(historyOf([9n]), 137).maxPriorityFeePerGas).toBe(30n * gwei)
    expect(frameOffer(historyOf([50n * gwei]), 137).maxPriorityFeePerGas).toBe(50n * gwei)
  })
})
