import type { FeeBlock } from '../fee-history.ts'

/** What is kept of a network over a restart: blocks, and the hash that vouches for all of them. */
export interface FeeRecord {
  /** Of {@link FeeBlock.rewards}. */
  readonly percentiles: readonly number[]
  /** The hash of the newest block: a chain that still has it has all the others. */
  readonly headHash: string
  /** Oldest first; each number is one above the one before. Never empty. */
  readonly blocks: readonly FeeBlock[]
}

/** Where sources keep their blocks. What it rejects with costs no more than a backfill. */
export interface FeeStore {
  /** The record saved last under this name; undefined where there is none. */
  load(network: string): Promise<FeeRecord | undefined>
  /** Replaces the record of this name as a whole. */
  save(network: string, record: FeeRecord): Promise<void>
}

/** A {@link FeeStore} that forgets with the process. */
export function createMemoryFeeStore(): FeeStore {
  const records = new Map<string, FeeRecord>()
  return {
    async load(network) {
      return records.get(network)
    },
    async save(network, record) {
      records.set(network, record)
    },
  }
}
