/** Fees of one level of urgency; amounts are decimal gwei, waits ms. Same shape as `SuggestedFees` of `gas-fees`. */
export interface LevelFees {
  readonly suggestedMaxPriorityFeePerGas: string
  readonly suggestedMaxFeePerGas: string
  readonly minWaitTimeEstimate: number
  readonly maxWaitTimeEstimate: number
}

/** A suggestion as the gas API prints it. Same shape as `SuggestedGasFees` of `gas-fees`. */
export interface GasSuggestion {
  readonly low: LevelFees
  readonly medium: LevelFees
  readonly high: LevelFees
  readonly estimatedBaseFee: string
  readonly networkCongestion: number
  readonly latestPriorityFeeRange: readonly [low: string, high: string]
  readonly historicalPriorityFeeRange: readonly [low: string, high: string]
  readonly historicalBaseFeeRange: readonly [low: string, high: string]
  readonly priorityFeeTrend: 'up' | 'down' | 'level'
  readonly baseFeeTrend: 'up' | 'down' | 'level'
  readonly wayleave?: {
    readonly nodePriorityFee?: string
    readonly knownBlocks?: number
    readonly calibrated?: false
    readonly congestionBlocks?: number
  }
}

/** A promise of inclusion in one of the next `withinBlocks` blocks, with `probability`, and how often it was kept. */
export interface PromiseRecord {
  readonly withinBlocks: number
  readonly probability: number
  readonly kept: number
  readonly broken: number
  /** Offers whose blocks are still to come. */
  readonly pending: number
}

/** The gas fees of a network that the process follows. */
export interface GasRecord {
  readonly network: string
  readonly chainId: number
  /** The newest block. */
  readonly blockNumber: number
  /** How long ago the suggestion was last known to be true, in ms. */
  readonly ageMs: number
  readonly suggested: GasSuggestion
  /** By level; absent where the strategy promises nothing. */
  readonly promises?: Readonly<Record<'low' | 'medium' | 'high', PromiseRecord>> | undefined
  /** The date of the first block whose offers were judged. */
  readonly since: number
}

/** A block, and what was suggested after it: decimal gwei. */
export interface GasBlockRecord {
  readonly blockNumber: number
  /** The date of the block. */
  readonly at: number
  readonly baseFee: string
  /** `suggestedMaxFeePerGas` of each level. */
  readonly low: string
  readonly medium: string
  readonly high: string
}

/** The gas fees that a gateway follows; it follows none for this. */
export interface GasPort {
  list(): Promise<readonly GasRecord[]>
  /** The fees of a network with its last 300 blocks, oldest first; undefined where nobody follows them. */
  find(network: string): Promise<(GasRecord & { readonly history: readonly GasBlockRecord[] }) | undefined>
}
