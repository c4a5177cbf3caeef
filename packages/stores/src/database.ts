/** The tables, as the newest migration leaves them. What both databases hold alike is plain text and numbers. */
export interface Database {
  readonly fee_networks: FeeNetworksTable
  readonly fee_blocks: FeeBlocksTable
}

/** One row a network. */
interface FeeNetworksTable {
  readonly network: string
  readonly head_hash: string
  /** JSON: an array of numbers. */
  readonly percentiles: string
}

/** One row a block. */
export interface FeeBlocksTable {
  readonly network: string
  /** PostgreSQL gives 64-bit integers as text. */
  readonly number: number | string
  /** Decimal digits, wei. */
  readonly base_fee_per_gas: string
  readonly gas_used_ratio: number
  /** JSON: an array of decimal digits, wei. */
  readonly rewards: string | null
}
