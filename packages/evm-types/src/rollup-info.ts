import { array, boolean, choice, integer, object, oneOf, type Schema } from '@wayleave/jsonrpc-core/schema'
import { type Block, blockSchema } from './block.ts'
import type { SyncStatus } from './sync-status.ts'

/** The progress of a rollup node. All numbers are plain JSON integers, not hex. Source: Spec §2.11. */
export interface RollupInfo {
  /** `sequencer` orders transactions; `verifier` follows. */
  readonly mode: 'sequencer' | 'verifier'
  readonly syncing: boolean
  /** The latest L1 block that the node has read. */
  readonly ethContext: {
    readonly blockNumber: number
    /** Unix time, seconds. */
    readonly timestamp: number
  }
  readonly rollupContext: {
    /** The last L1-to-L2 message that the node has read; 0 if unknown. */
    readonly queueIndex: number
    /** The last rollup transaction processed: one per block. */
    readonly index: number
    /** The last one derived from a batch on L1; 0 if unknown. */
    readonly verifiedIndex: number
  }
}

/**
 * The answer of `rollup_getInfo`: the object that nodes send, or an array of blocks as in the specification's sample.
 * Source: Spec §2.11, §4.8.
 */
export type RollupInfoAnswer = RollupInfo | readonly Block[]

const count = integer('an integer, not negative', 0)

/** Checks a {@link RollupInfo}; members beyond it pass. */
export const rollupInfoSchema: Schema<RollupInfo> = object<RollupInfo>('rollup node information', {
  mode: oneOf('sequencer', 'verifier'),
  syncing: boolean,
  ethContext: object<RollupInfo['ethContext']>('an L1 context', { blockNumber: count, timestamp: count }),
  rollupContext: object<RollupInfo['rollupContext']>('a rollup context', {
    queueIndex: count,
    index: count,
    verifiedIndex: count,
  }),
})

const blocksSchema = array(blockSchema)

/** Checks a {@link RollupInfoAnswer}. */
export const rollupInfoAnswerSchema: Schema<RollupInfoAnswer> = choice(
  `${rollupInfoSchema.expected} or an array of blocks`,
  (value) => (Array.isArray(value) ? blocksSchema : rollupInfoSchema),
  [rollupInfoSchema, blocksSchema],
)

/** Whether `answer` is the whole object; otherwise a {@link RollupInfoAnswer} is the array of blocks. */
export function isRollupInfo(answer: unknown): answer is RollupInfo {
  return rollupInfoSchema.check(answer, '') === undefined
}

/** Facts that a sync status does not contain. */
export interface RollupInfoOptions {
  /** Default `verifier`. */
  readonly mode?: RollupInfo['mode']
  /** Default false. */
  readonly syncing?: boolean
}

/**
 * Converts a rollup node's sync status to node information, for nodes without `rollup_getInfo`.
 * `queueIndex` has no equivalent and is 0. Source: Spec §2.11.
 */
export function rollupInfoFromSyncStatus(sync: SyncStatus, options: RollupInfoOptions = {}): RollupInfo {
  return {
    mode: options.mode ?? 'verifier',
    syncing: options.syncing ?? false,
    ethContext: { blockNumber: sync.current_l1.number, timestamp: sync.current_l1.timestamp },
    rollupContext: { queueIndex: 0, index: sync.unsafe_l2.number, verifiedIndex: sync.safe_l2.number },
  }
}
