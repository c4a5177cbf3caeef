import type { Market } from '../../src/market.ts'

/** A block of a made-up market: all its gas paid the same tip, if it is not given by percentile. */
export interface SmallBlock {
  readonly baseFee: bigint
  readonly tip: bigint
  readonly gasUsedRatio?: number
}

/** A recorded market of these blocks, after `settled` blocks that are all like the first. */
export function smallMarket(blocks: readonly SmallBlock[], settled = 0): Market {
  const all = [...Array<SmallBlock>(settled).fill(blocks[0]!), ...blocks]
  return {
    name: 'small',
    kind: 'recorded',
    node: 'geth',
    blockTimeMs: 1_000,
    percentiles: [0, 10, 25, 50, 75],
    blocks: all.map(({ baseFee, tip, gasUsedRatio = 0.5 }, at) => ({
      number: at + 1,
      baseFeePerGas: baseFee,
      gasUsedRatio,
      rewards: [0n, tip / 2n, tip, tip * 2n, tip * 3n],
    })),
    nextBaseFeePerGas: all.at(-1)!.baseFee,
    marginalTips: undefined,
  }
}
