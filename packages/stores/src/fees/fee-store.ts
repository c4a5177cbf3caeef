/** One block's fees. */
export interface FeeBlock {
  readonly number: number
  /** Wei per gas. */
  readonly baseFeePerGas: bigint
  readonly gasUsedRatio: number
  /** Wei per gas, one for each percentile; undefined if the node gave none. */
  readonly rewards: readonly bigint[] | undefined
}

/** Base fees of consecutive blocks. */
export interface BaseFeeRun {
  /** The oldest block's number. */
  readonly firstNumber: number
  /** Wei per gas, oldest first. Never empty. */
  readonly baseFees: readonly bigint[]
}

/** The blocks kept for one network. Same shape as `FeeRecord` of `gas-fees`, which is of the same layer and cannot be imported. */
export interface FeeRecord {
  readonly percentiles: readonly number[]
  readonly headHash: string
  /** Oldest first, with consecutive numbers. Never empty. */
  readonly blocks: readonly FeeBlock[]
  /** The base fees right before the blocks; undefined if none is known. */
  readonly earlier?: BaseFeeRun | undefined
}

/** Keeps fee records by network name. Fits `FeeStore` of `gas-fees`. */
export interface FeeStore {
  load(network: string): Promise<FeeRecord | undefined>
  /** Replaces the network's whole record in one transaction. */
  save(network: string, record: FeeRecord): Promise<void>
}
