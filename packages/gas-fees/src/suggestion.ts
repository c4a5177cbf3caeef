/** Decimal gwei, at most 9 digits after the point, no exponent. */
export type Gwei = string

/** One level of urgency. Source: Spec §2.10. */
export interface SuggestedFees {
  readonly suggestedMaxPriorityFeePerGas: Gwei
  readonly suggestedMaxFeePerGas: Gwei
  /** Milliseconds. */
  readonly minWaitTimeEstimate: number
  /** Milliseconds. */
  readonly maxWaitTimeEstimate: number
}

export type FeeTrend = 'up' | 'down' | 'level'

/** The answer of `suggestedGasFees`. Source: Spec §2.10. */
export interface SuggestedGasFees {
  readonly low: SuggestedFees
  readonly medium: SuggestedFees
  readonly high: SuggestedFees
  /** The base fee of the next block. */
  readonly estimatedBaseFee: Gwei
  /** 0 to 1; lower means that fewer transactions compete. */
  readonly networkCongestion: number
  readonly latestPriorityFeeRange: readonly [low: Gwei, high: Gwei]
  readonly historicalPriorityFeeRange: readonly [low: Gwei, high: Gwei]
  readonly historicalBaseFeeRange: readonly [low: Gwei, high: Gwei]
  readonly priorityFeeTrend: FeeTrend
  readonly baseFeeTrend: FeeTrend
  /** Says what the suggestion lacks, where it lacks anything; no other service has this member. */
  readonly wayleave?: Incompleteness
}

/** Each member is there only where it applies. */
export interface Incompleteness {
  /** The node's own suggestion (`eth_maxPriorityFeePerGas`), where nobody tipped in the window or few blocks are known, so that it is the least tip offered. */
  readonly nodePriorityFee?: Gwei
  /** Blocks with known tips, where they are so few that the offers err upward. */
  readonly knownBlocks?: number
  /** False beside `knownBlocks`: so few blocks cannot show that the promises are kept on this chain. */
  readonly calibrated?: false
  /** Earlier blocks that `networkCongestion` compares with, where they are fewer than 20,000. */
  readonly congestionBlocks?: number
}
