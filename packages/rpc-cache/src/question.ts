import type { Position, RpcRequest } from '@wayleave/jsonrpc-core'

/** A call as the cache sees it. */
export interface CachedQuestion {
  /** Names the question: the same for all its spellings, another one for every other question. Network and groups are the partition. */
  readonly key: string
  readonly life: AnswerLife
  /** The request to send in place of the one that came: the same question, asked at the served head by its hash. Default: as it came. */
  readonly ask?: RpcRequest | undefined
}

/**
 * The time for which an answer holds:
 * - `params`: for ever; it follows from the params alone.
 * - `block`: for ever; its content is named by the hash of a block. Dropped all the same when that block is replaced.
 * - `numbers`: it is about blocks by their numbers, the highest of which is `to`: for ever where that is at or below the finalized block,
 *   else until a reorg at or below it.
 * - `answer`: the block that the answer names (`positionOf`) decides, as for `numbers`; an answer that names none is not kept.
 * - `head`: until the served head is another one than `at`.
 */
export type AnswerLife =
  | { readonly of: 'params' }
  | { readonly of: 'block'; readonly hash: string }
  | { readonly of: 'numbers'; readonly to: number }
  | { readonly of: 'answer' }
  | { readonly of: 'head'; readonly at: Position }
