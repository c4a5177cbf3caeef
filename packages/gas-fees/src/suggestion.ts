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
}
