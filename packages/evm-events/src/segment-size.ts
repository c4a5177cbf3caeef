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
  /** The most blocks of a segment. */
  readonly maxBlocks: number
  readonly aimBytes: number
  /** The blocks of the whole range, where segments up to `finalTo` end at round heights; undefined: they are as long as fits. */
  readonly alignedIn?: number | undefined
  /** Blocks up to here are never replaced. */
  readonly finalTo: number
  /** Asked before fewer blocks are tried after a failure without a word of the range. */
  readonly mayTryParts?: (() => boolean) | undefined
}

/** The blocks of the segments of one call, by what nodes refused and by the bytes that came last. */
export interface SegmentSize {
  /** Gives the most blocks of the next segment, by its first one. `rest`: makes the question for all from there on. */
  next(from: number, rest: () => RpcRequest): number
  passed(blocks: number, bytes: number): void
  /** Gives the blocks to ask for first in place of so many; undefined where fewer would not help, or may not be tried. */
  failed(blocks: number, why: RpcError): number | undefined
}

/** Blocks of a segment at most, as a multiple of those of one that was short. */
const growth = 8
/** Segments that pass before more blocks are tried than nodes refused; doubled each time they are refused again. */
const [firstPasses, mostPasses] = [4, 64]
/** Aligned segments that a range has at least: the fewer there are, the less of them two ranges that overlap have in common. */
const leastAligned = 4

/** Starts with `firstBlocks`, or as many as nodes are known to take. */
export function createSegmentSize(options: SegmentSizeOptions): SegmentSize {
  const { limits, context, firstBlocks, maxBlocks, aimBytes, alignedIn, finalTo } = options
  const mostAligned = alignedIn === undefined ? undefined : Math.max(1, alignedIn / leastAligned)
  let byBytes = firstBlocks
  /** A limit that nodes have told. */
  let reported = maxBlocks
  let most = maxBlocks
  /** Segments of `most` blocks that have passed, and how many have to until `most` is doubled. */
  let [passes, needed, neededNext] = [0, firstPasses, firstPasses]
  let isTrying = false
  /** By `limits`; undefined: to be asked for. A limit may be that of some blocks only: the further a call gets, the seldomer it is asked for. */
  let known: number | undefined
  let [sinceKnown, askAfter] = [0, 1]

  return {
    next(from, rest) {
      known ??= limits?.mostBlocks(rest(), context) ?? Number.POSITIVE_INFINITY
      const blocks = Math.max(1, Math.min(most, byBytes, known))
      if (mostAligned === undefined) return blocks
      const step = roundStep(Math.min(blocks, mostAligned))
      const aligned = step - (from % step)
      return from + aligned - 1 <= finalTo ? aligned : blocks
    },
    passed(blocks, bytes) {
      // A segment that was cut short by an end of the range, or of a step, tells nothing against the length that others may have.
      byBytes = Math.max(1, Math.min(Math.floor((aimBytes * blocks) / bytes), Math.max(growth * blocks, byBytes)))
      if (++sinceKnown >= askAfter) {
        known = undefined
        sinceKnown = 0
        askAfter *= 2
      }
      const full = mostAligned === undefined ? most : roundStep(Math.min(most, mostAligned))
      if (blocks < full || most >= reported || ++passes < needed) return
      most = Math.min(2 * most, reported)
      isTrying = true
      passes = 0
      needed = 1
    },
    failed(blocks, why) {
      const fewer = fewerBlocks(why, blocks)
      if (fewer === undefined || (fewer.of === 'doubt' && options.mayTryParts?.() === false)) return undefined
      known = undefined
      if (fewer.of === 'part' || fewer.of === 'doubt') return fewer.blocks
      if (fewer.of === 'reported') reported = Math.min(reported, fewer.blocks)
      if (isTrying) neededNext = Math.min(mostPasses, 2 * neededNext)
      isTrying = false
      passes = 0
      needed = neededNext
      most = Math.min(most, fewer.blocks)
      return fewer.blocks
    },
  }
}

/** Rounds down to 1, 2 or 5 times a power of ten, as most limits of nodes are: none of them is cut in two. */
function roundStep(blocks: number): number {
  let ten = 1
  while (10 * ten <= blocks) ten *= 10
  return (blocks >= 5 * ten ? 5 : blocks >= 2 * ten ? 2 : 1) * ten
}
