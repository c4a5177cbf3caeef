import type { FeeBlock, FeeHistory } from '@wayleave/gas-fees'

/** Which node software answers `eth_maxPriorityFeePerGas` on a chain: it decides what viem and ethers offer. */
export type NodeKind = 'geth' | 'op-geth'

/** A run of consecutive blocks to replay: recorded from a chain, or simulated. All amounts in wei per gas. */
export interface Market {
  readonly name: string
  readonly kind: 'recorded' | 'simulated'
  readonly node: NodeKind
  readonly blockTimeMs: number
  /** Ascending, 0 to 100: those of each block's `rewards`. */
  readonly percentiles: readonly number[]
  /** Oldest first. Each has rewards. */
  readonly blocks: readonly FeeBlock[]
  /** Base fee of the block after the last. */
  readonly nextBaseFeePerGas: bigint
  /**
   * For each block the lowest tip that got in, 0 where it had room for all; exact on simulated markets. Undefined on
   * recorded ones: `eth_feeHistory` does not tell who was left out.
   */
  readonly marginalTips: readonly bigint[] | undefined
}

/**
 * What a wallet could know of a market when the block at `index` was the newest: at most `window` blocks up to it, and
 * the base fee of the next.
 */
export function historyAt(market: Market, index: number, window: number): FeeHistory {
  return {
    percentiles: market.percentiles,
    blocks: market.blocks.slice(Math.max(0, index + 1 - window), index + 1),
    nextBaseFeePerGas: market.blocks[index + 1]?.baseFeePerGas ?? market.nextBaseFeePerGas,
    blockTimeMs: market.blockTimeMs,
  }
}
