import type { FeeBlock } from '../fee-history.ts'
import type { BaseFeeRun } from './base-fee-run.ts'

/** A network's blocks, kept over a restart, with the hash that vouches for all of them. */
export interface FeeRecord {
  /** The percentiles of {@link FeeBlock.rewards}. */
  readonly percentiles: readonly number[]
  /** The hash of the newest block: a chain that still has it has all the others. */
  readonly headHash: string
  /** Oldest first, with consecutive numbers. Never empty. */
  readonly blocks: readonly FeeBlock[]
  /** The base fees right before the blocks, for congestion; undefined if none is known. */
  readonly earlier?: BaseFeeRun | undefined
}

/** Keeps blocks for sources. A failure costs no more than a backfill. */
export interface FeeStore {
  /** Loads the last record saved under this name; undefined if there is none. */
  load(network: string): Promise<FeeRecord | undefined>
  /** Replaces the whole record of this name. */
  save(network: string, record: FeeRecord): Promise<void>
}

/** Keeps records in memory, until the process ends. */
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
