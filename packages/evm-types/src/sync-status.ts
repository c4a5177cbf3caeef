import { integer, object, type ObjectShape, type Schema } from '@wayleave/jsonrpc-core/schema'
import { type Hash, hashSchema } from './data.ts'
import { maybe } from './maybe.ts'

/** A block's identity. Numbers are plain JSON integers here. Source: op-node. */
export interface BlockId {
  readonly hash: Hash
  readonly number: number
}

/** A block of L1. A block that the node has not seen yet is all zeros. Source: op-node. */
export interface L1BlockRef extends BlockId {
  readonly parentHash: Hash
  /** Unix time, seconds. */
  readonly timestamp: number
}

/** A block of the rollup. Source: op-node. */
export interface L2BlockRef extends L1BlockRef {
  /** The L1 block it was built on. */
  readonly l1origin: BlockId
  /** Distance from the first rollup block of that L1 block. */
  readonly sequenceNumber: number
}

/** The progress of a rollup node: the answer of `optimism_syncStatus`. Source: op-node. */
export interface SyncStatus {
  /** The L1 block that derivation has reached. */
  readonly current_l1: L1BlockRef
  readonly current_l1_finalized?: L1BlockRef | null
  /** The newest L1 block the node has seen. */
  readonly head_l1: L1BlockRef
  readonly safe_l1: L1BlockRef
  readonly finalized_l1: L1BlockRef
  /** The newest rollup block, on L1 or not. */
  readonly unsafe_l2: L2BlockRef
  /** The newest rollup block derived from L1. */
  readonly safe_l2: L2BlockRef
  /** The newest rollup block derived from final L1 blocks. */
  readonly finalized_l2: L2BlockRef
  /** Derived from an unfinished batch; absent from some nodes. */
  readonly pending_safe_l2?: L2BlockRef | null
  /** Unsafe, and checked against other chains; absent from some nodes. */
  readonly cross_unsafe_l2?: L2BlockRef | null
  /** Derived from L1, not yet checked against other chains; absent from some nodes. */
  readonly local_safe_l2?: L2BlockRef | null
}

const count = integer('an integer, not negative', 0)
const idShape: ObjectShape<BlockId> = { hash: hashSchema, number: count }
const l1Shape: ObjectShape<L1BlockRef> = { ...idShape, parentHash: hashSchema, timestamp: count }

/** Checks a {@link BlockId}; members beyond it pass. */
export const blockIdSchema: Schema<BlockId> = object<BlockId>('a block id', idShape)

const l1Schema: Schema<L1BlockRef> = object<L1BlockRef>('an L1 block reference', l1Shape)

/** Checks an {@link L2BlockRef}; members beyond it pass. */
export const l2BlockRefSchema: Schema<L2BlockRef> = object<L2BlockRef>('an L2 block reference', {
  ...l1Shape,
  l1origin: blockIdSchema,
  sequenceNumber: count,
})

/** Checks a {@link SyncStatus}; members beyond it pass. */
export const syncStatusSchema: Schema<SyncStatus> = object<SyncStatus>('a sync status', {
  current_l1: l1Schema,
  current_l1_finalized: maybe(l1Schema),
  head_l1: l1Schema,
  safe_l1: l1Schema,
  finalized_l1: l1Schema,
  unsafe_l2: l2BlockRefSchema,
  safe_l2: l2BlockRefSchema,
  finalized_l2: l2BlockRefSchema,
  pending_safe_l2: maybe(l2BlockRefSchema),
  cross_unsafe_l2: maybe(l2BlockRefSchema),
  local_safe_l2: maybe(l2BlockRefSchema),
})
