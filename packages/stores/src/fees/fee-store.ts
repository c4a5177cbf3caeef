/** A block as `gas-fees` keeps it. */
export interface FeeBlock {
  readonly number: number
  /** Wei per gas. */
  readonly baseFeePerGas: bigint
  readonly gasUsedRatio: number
  /** Wei per gas, one for each percentile; undefined where the node told none. */
  readonly rewards: readonly bigint[] | undefined
}

/** What is kept of a network. The types of `FeeStore` in `gas-fees`, declared again: the packages are of one layer. */
export interface FeeRecord {
  readonly percentiles: readonly number[]
  readonly headHash: string
  /** Oldest first, each number one above the one before. Never empty. */
  readonly blocks: readonly FeeBlock[]
}

export interface FeeStore {
  load(network: string): Promise<FeeRecord | undefined>
  /** Replaces the record of this name as a whole, in one transaction. */
  save(network: string, record: FeeRecord): Promise<void>
}
