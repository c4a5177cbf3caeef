/** The fees of one block. */
export interface FeeBlock {
  readonly number: number
  /** Wei per gas, burnt. */
  readonly baseFeePerGas: bigint
  /** Gas used by gas limit, 0 to 1. */
  readonly gasUsedRatio: number
  /**
   * Priority fees paid, in wei per gas, at the {@link FeeHistory.percentiles} of the block's gas; all 0 in an empty block.
   * Undefined if the node gave none.
   */
  readonly rewards: readonly bigint[] | undefined
}

/** A window of consecutive blocks, as `eth_feeHistory` gives them. Never empty. */
export interface FeeHistory {
  /** Ascending, 0 to 100; the same for all blocks. */
  readonly percentiles: readonly number[]
  /** Oldest first, with consecutive numbers. */
  readonly blocks: readonly FeeBlock[]
  /** Wei per gas: base fees of the blocks right before `blocks`, oldest first, for congestion; undefined: none is known. */
  readonly earlierBaseFees?: readonly bigint[] | undefined
  /** Wei per gas: the base fee of the block after the last one. */
  readonly nextBaseFeePerGas: bigint
  /** Wei per gas: the node's answer to `eth_maxPriorityFeePerGas`, for a window of few blocks or without tips; undefined: unknown, or not asked. */
  readonly nodePriorityFeePerGas?: bigint | undefined
  /** Measured mean time from block to block, in ms; undefined if unknown. */
  readonly blockTimeMs: number | undefined
}
