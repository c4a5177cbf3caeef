import type { FeeBlock } from '@wayleave/gas-fees'
import type { Market } from './market.ts'

/**
 * Tells what a block asked of a transaction, as a tip in wei per gas. A block includes an offer if its max fee covers the base
 * fee and the tip left after that reaches the threshold.
 */
export interface Judge {
  readonly name: string
  /** A short description, for a report's legend. */
  readonly meaning: string
  /** One threshold for each block of the market. */
  thresholds(market: Market): readonly bigint[]
}

/** A block that used this share of its gas limit counts as full. */
const full = 0.95

/**
 * The judges by percentile: the tip that a tenth, a quarter, half or three quarters of the block's gas paid no more than, even
 * where the block had room for more. A block without transactions has a threshold of 0: nobody competed for it.
 */
function createPercentileJudge(percentile: number): Judge {
  return {
    name: `p${percentile}`,
    meaning: `the tip that ${percentile} % of the block's gas paid no more than`,
    thresholds(market) {
      const at = market.percentiles.indexOf(percentile)
      return market.blocks.map((block) => rewardsOf(block)[at]!)
    },
  }
}

const p10 = createPercentileJudge(10)

/** The most lenient judge: a block with a tenth of its gas left takes anything, and a fuller one asks for its p10. */
const roomJudge: Judge = {
  name: '90 % full',
  meaning: 'nothing in a block that is less than 90 % full, else the tip that 10 % of its gas paid no more than',
  thresholds(market) {
    const tips = p10.thresholds(market)
    return market.blocks.map(({ gasUsedRatio }, at) => (gasUsedRatio < 0.9 ? 0n : tips[at]!))
  },
}

/**
 * The exact judge: the tip it took to get in. Simulated blocks tell it exactly. For recorded ones it is estimated: p25 of a
 * full block, else the lowest tip above zero that `eth_feeHistory` shows, since zero tips are private order flow.
 */
const marginalJudge: Judge = {
  name: 'marginal',
  meaning: 'the lowest tip that got in: 0 or the least paid where the block had room',
  thresholds(market) {
    if (market.marginalTips !== undefined) return market.marginalTips
    const at = market.percentiles.indexOf(25)
    return market.blocks.map((block) => {
      const rewards = rewardsOf(block)
      return block.gasUsedRatio >= full ? rewards[at]! : (rewards.find((tip) => tip > 0n) ?? 0n)
    })
  },
}

/** All judges: `p25`, which decides, then the stricter ones, then the lenient ones. */
export const judges: readonly Judge[] = [...[25, 50, 75].map(createPercentileJudge), marginalJudge, p10, roomJudge]

function rewardsOf(block: FeeBlock): readonly bigint[] {
  if (block.rewards === undefined) throw new RangeError(`block ${block.number} was expected to have rewards`)
  return block.rewards
}
