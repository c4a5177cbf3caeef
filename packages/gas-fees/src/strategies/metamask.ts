import { rewardsAt } from '../rewards.ts'
import { risingOffers } from '../rising-offers.ts'
import { compare } from '../statistics.ts'
import type { FeeStrategy } from '../strategy.ts'

const gwei = 1_000_000_000n

/** Multipliers in percent, floors in wei. */
const settings = {
  low: { percentile: 10, baseFee: 110n, tip: 94n, floor: gwei },
  medium: { percentile: 20, baseFee: 120n, tip: 97n, floor: (3n * gwei) / 2n },
  high: { percentile: 30, baseFee: 125n, tip: 98n, floor: 2n * gwei },
}

/**
 * MetaMask's former rule for networks without a gas API: the median tip of five blocks, with floors made for Ethereum of
 * 2021, and a multiple of the newest base fee. For comparison only: on most chains it pays far too much.
 */
export const metamask: FeeStrategy = {
  name: 'metamask',
  promises: undefined,
  window: 200,
  percentiles: [10, 20, 30, 50, 95],
  waitsMs: { low: [15_000, 30_000], medium: [15_000, 45_000], high: [15_000, 60_000] },
  reportsLatestBaseFee: true,
  offers(history) {
    const newest = history.blocks.at(-1)?.baseFeePerGas ?? 0n
    return risingOffers(history.nextBaseFeePerGas, (level) => {
      const { percentile, baseFee, tip, floor } = settings[level]
      const rewards = rewardsAt(history, history.blocks.slice(-5), percentile).toSorted(compare)
      const share = ((rewards[(rewards.length - 1) >> 1] ?? 0n) * tip) / 100n
      return { tip: share > floor ? share : floor, baseFee: (newest * baseFee) / 100n }
    })
  },
}
