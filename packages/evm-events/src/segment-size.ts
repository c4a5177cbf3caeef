import type { RpcContext, RpcError, RpcRequest } from '@wayleave/jsonrpc-core'
import { fewerBlocks } from './log-failures.ts'

/** Limits of the nodes, as they are learnt. */
export interface LogRangeLimits {
  /** The most blocks that nodes take from the start of this call's range on; undefined: no limit is known. */
  mostBlocks(request: RpcRequest, context: RpcContext): number | undefined
}

export interface SegmentSizeOptions {
  readonly limits: LogRangeLimits | undefined
  readonly context: RpcContext
  readonly firstBlocks: number
  readonly maxBlocks: number
  readonly aimBytes: number
}

/** The blocks of the segments of one call, by what nodes refused and by the bytes that came last. */
export interface SegmentSize {
  /** Gives the most blocks of the next segment. `rest`: makes the question for all from its first block on. */
  next(rest: () => RpcRequest): number
  passed(blocks: number, bytes: number): void
  /** Gives the blocks to ask for first in place of so many; undefined where fewer would not help. */
  failed(blocks: number, why: RpcError): number | undefined
}

/** Blocks of a segment at most, as a multiple of those of one that was short. */
const growth = 8
/** Segments that pass before more blocks are tried than nodes refused; doubled each time they are refused again. */
const [firstPasses, mostPasses] = [4, 64]

/** Starts with `firstBlocks`, or as many as nodes are known to take. */
export function createSegmentSize(options: SegmentSizeOptions): SegmentSize {
  const { limits, context, firstBlocks, maxBlocks, aimBytes } = options
  let byBytes = firstBlocks
  /** A limit that nodes have told. */
  let told = maxBlocks
  let most = maxBlocks
  /** Segments of `most` blocks that have passed, and how many have to until `most` is doubled. */
  let [passes, needed, neededNext] = [0, firstPasses, firstPasses]
  let isTrying = false
  /** By `limits`; undefined: to be asked for. A limit may be that of some blocks only: the further a call gets, the seldomer it is asked for. */
  let known: number | undefined
  let [sinceKnown, askAfter] = [0, 1]

  return {
    next(rest) {
      known ??= limits?.mostBlocks(rest(), context) ?? Number.POSITIVE_INFINITY
      return Math.max(1, Math.min(most, byBytes, known))
    },
    passed(blocks, bytes) {
      byBytes = Math.max(1, Math.min(Math.floor((aimBytes * blocks) / bytes), growth * blocks))
      if (++sinceKnown >= askAfter) {
        known = undefined
        sinceKnown = 0
        askAfter *= 2
      }
      if (blocks < most || most >= told || ++passes < needed) return
      most = Math.min(2 * most, told)
      isTrying = true
      passes = 0
      needed = 1
    },
    failed(blocks, why) {
      const fewer = fewerBlocks(why, blocks)
      if (fewer === undefined) return undefined
      known = undefined
      if (fewer.of === 'part') return fewer.blocks
      if (fewer.of === 'told') told = Math.min(told, fewer.blocks)
      if (isTrying) neededNext = Math.min(mostPasses, 2 * neededNext)
      isTrying = false
      passes = 0
      needed = neededNext
      most = Math.min(most, fewer.blocks)
      return fewer.blocks
    },
  }
}
