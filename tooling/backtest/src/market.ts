import type { FeeBlock, FeeHistory } from '@wayleave/gas-fees'

/** The node software that answers `eth_maxPriorityFeePerGas` on a chain: it decides the offers of viem and ethers. */
export type NodeKind = 'geth' | 'op-geth'

/** A run of consecutive blocks to replay: recorded from a chain, or simulated. All amounts in wei per gas. */
export interface Market {
  readonly name: string
  readonly kind: 'recorded' | 'simulated'
  readonly node: NodeKind
  /** Undefined if it is no real chain: some rules know chains by it. */
  readonly chainId?: number
  readonly blockTimeMs: number
  /** The percentiles of each block's `rewards`, ascending, 0 to 100. */
  readonly percentiles: readonly number[]
  /** Oldest first. Each has rewards. */
  readonly blocks: readonly FeeBlock[]
  /** Base fee of the block after the last. */
  readonly nextBaseFeePerGas: bigint
  /**
   * The lowest tip that got into each block, 0 if it had room for all; exact on simulated markets. Undefined on recorded ones:
   * `eth_feeHistory` does not tell who was left out.
   */
  readonly marginalTips: readonly bigint[] | undefined
}

/**
 * Cuts out what a wallet could know of a market when the block at `index` was the newest: at most `window` blocks up to it,
 * and the base fee of the next.
 */
export function historyAt(market: Market, index: number, window: number): FeeHistory {
  return {
    percentiles: market.percentiles,
    blocks: market.blocks.slice(Math.max(0, index + 1 - window), index + 1),
    nextBaseFeePerGas: market.blocks[index + 1]?.baseFeePerGas ?? market.nextBaseFeePerGas,
    blockTimeMs: market.blockTimeMs,
  }
}

/** The order in which a market's blocks are replayed. `third`: three markets, of every third block each. */
export type BlockOrder = 'forwards' | 'backwards' | 'third'

/** Makes other markets of a market's blocks, on which no rule was tuned. Numbers stay those of the blocks. */
export function reordered<M extends Market>(market: M, order: BlockOrder): readonly M[] {
  if (order === 'forwards') return [market]
  if (order === 'backwards') {
    const blocks = market.blocks.toReversed()
    const marginalTips = market.marginalTips?.toReversed()
    return [{ ...market, blocks, marginalTips, nextBaseFeePerGas: blocks.at(-1)!.baseFeePerGas }]
  }
  return [0, 1, 2].map((first) => {
    const isKept = (_: unknown, at: number): boolean => at % 3 === first
    const blocks = market.blocks.filter(isKept)
    return {
      ...market,
      name: `${market.name} ${first + 1}/3`,
      blocks,
      marginalTips: market.marginalTips?.filter(isKept),
      nextBaseFeePerGas: blocks.at(-1)!.baseFeePerGas,
    }
  })
}
