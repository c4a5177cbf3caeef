/** The tables, as the newest migration leaves them. What both databases hold alike is plain text and numbers. */
export interface Database {
  readonly fee_networks: FeeNetworksTable
  readonly fee_blocks: FeeBlocksTable
  readonly pin_projects: PinProjectsTable
  readonly pins: PinsTable
  readonly pin_transfers: PinTransfersTable
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

/** One row a project; it is also what changes of the project's pins take turns on. */
interface PinProjectsTable {
  readonly project: string
  /** Sum over its pins. Bytes are written as decimal digits, and read cast to text. */
  readonly stored_bytes: string
}

export interface PinsTable {
  readonly project: string
  readonly cid: string
  readonly type: string
  readonly name: string | null
  readonly bytes: string
}

/** One row a project and month. */
interface PinTransfersTable {
  readonly project: string
  /** `2026-11`. */
  readonly month: string
  readonly uploaded_bytes: string
  readonly downloaded_bytes: string
}
