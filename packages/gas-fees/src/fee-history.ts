/** What a block says of fees. */
export interface FeeBlock {
  readonly number: number
  /** Wei per gas, burnt. */
  readonly baseFeePerGas: bigint
  /** Gas used by gas limit, 0 to 1. */
  readonly gasUsedRatio: number
  /**
   * Priority fees paid, in wei per gas, at the {@link FeeHistory.percentiles} of the block's gas; all 0 where the block is
   * empty. Undefined where the node told none.
   */
  readonly rewards: readonly bigint[] | undefined
}

/** A window of consecutive blocks, as `eth_feeHistory` tells them. Never empty. */
export interface FeeHistory {
  /** Ascending, 0 to 100; the same for all blocks. */
  readonly percentiles: readonly number[]
  /** Oldest first; each number is one above the one before. */
  readonly blocks: readonly FeeBlock[]
  /** Wei per gas: the base fee of the block after the last one. */
  readonly nextBaseFeePerGas: bigint
  /** Mean time from block to block, in ms, as measured; undefined where it is not known. */
  readonly blockTimeMs: number | undefined
}
