import { GasFeesError } from '../error.ts'
import type { FeeBlock } from '../fee-history.ts'
import type { ChainReader, Head } from './chain-reader.ts'
import { fetchBlocks } from './fetch-blocks.ts'

/** The newest blocks of a chain, and the marks that identify them. */
export interface ChainWindow {
  /** Oldest first and consecutive; the last one is the head. */
  readonly blocks: readonly FeeBlock[]
  readonly nextBaseFeePerGas: bigint
  /** The node's own tip, where nobody tipped. */
  readonly nodePriorityFeePerGas?: bigint | undefined
  /** Marks of some of the blocks, ascending; the last one is the head's. */
  readonly marks: readonly BlockMark[]
}

/** Tells a block from another one of the same number, and when it was made. */
interface BlockMark {
  readonly number: number
  readonly hash: string
  /** Unix time, seconds. */
  readonly timestamp: number
}

export interface WindowOptions {
  readonly reader: ChainReader
  /** Most blocks. */
  readonly limit: number
  readonly percentiles: readonly number[]
  readonly signal?: AbortSignal | undefined
}

/** Enough marks to measure the block time and to find a common ancestor. */
const mostMarks = 128
const greatestReorg = 64
/** The share of a window that a reorganisation must leave; else the whole window is fetched again. */
const leastLeft = 0.9
/** The fewest intervals to measure by: among fewer, one late block would decide the mean. */
const fewestIntervals = 32

/** Fetches the window that ends with `head`. Blocks of `before` that the chain still has are kept. */
export async function windowUpTo(
  head: Head,
  before: ChainWindow | undefined,
  options: WindowOptions,
): Promise<ChainWindow> {
  const { reader, limit, percentiles, signal } = options
  const ancestor = before && (await commonAncestor(head, before, reader, signal))
  if (before !== undefined && ancestor !== undefined && head.number - ancestor.number < limit) {
    // At least the head, even if it is the ancestor: the base fee after it is not known.
    const missing = Math.max(1, head.number - ancestor.number)
    const fetched = await fetchBlocks(reader, head.number, missing, percentiles, signal)
    const oldest = head.number - missing + 1
    const kept = before.blocks.filter(({ number }) => number < oldest)
    // Blocks that a long reorganisation takes at the newer end leave the window too short at the older one.
    const isLong = kept.length + missing >= before.blocks.length * leastLeft
    if (fetched.blocks[0]!.number === oldest && isLong) {
      const marks = before.marks.filter(({ number }) => number < oldest)
      return trimmed({ ...fetched, blocks: [...kept, ...fetched.blocks], marks: [...marks, markOf(head)] }, limit)
    }
  }
  const fetched = await fetchBlocks(reader, head.number, limit, percentiles, signal)
  return { ...fetched, marks: [markOf(head)] }
}

/** Adds a mark far enough back to measure the block time; changes nothing if the node has no such block. */
export async function withBlockTime(
  window: ChainWindow,
  reader: ChainReader,
  signal: AbortSignal | undefined,
): Promise<ChainWindow> {
  const { blocks, marks } = window
  const newest = marks.at(-1)!.number
  // Not block 0, which nobody made: its time may be any.
  const farthest = Math.min(blocks.length, mostMarks, newest) - 1
  if (newest - marks[0]!.number >= Math.min(farthest, fewestIntervals)) return window
  const earlier = await reader.block(newest - farthest, signal)
  if (earlier === undefined) return window
  return { ...window, marks: [markOf(earlier), ...marks.filter(({ number }) => number > earlier.number)] }
}

/** The longest block time believed, in ms: a measured one may include a halt or a lie. */
const longestBlockTimeMs = 60_000

/** Measures the mean time from block to block, in ms, a minute at most; undefined if the marks after block 0 do not tell it. */
export function blockTimeOf({ marks }: ChainWindow): number | undefined {
  const first = marks.find(({ number }) => number > 0)
  const last = marks.at(-1)!
  if (first === undefined) return undefined
  const ms = ((last.timestamp - first.timestamp) * 1_000) / (last.number - first.number)
  return ms > 0 && Number.isFinite(ms) ? Math.min(ms, longestBlockTimeMs) : undefined
}

/** Finds the newest known block that `head` descends from, or is. */
async function commonAncestor(
  head: Head,
  { marks }: ChainWindow,
  reader: ChainReader,
  signal: AbortSignal | undefined,
): Promise<BlockMark | undefined> {
  const known = marks.filter(({ number }) => number <= head.number)
  const same = known.find(({ hash }) => hash === head.hash || hash === head.parentHash)
  if (same !== undefined) return same
  const lowest = (known.at(-1)?.number ?? 0) - greatestReorg
  for (let back = 1; back <= known.length; back *= 2) {
    const mark = known[known.length - back]!
    if (mark.number < lowest) return undefined
    // The head's parent was compared already.
    if (mark.number >= head.number - 1) continue
    const block = await reader.block(mark.number, signal)
    if (block?.hash === mark.hash) return mark
  }
  return undefined
}

function trimmed({ blocks, marks, nextBaseFeePerGas }: ChainWindow, limit: number): ChainWindow {
  return { blocks: blocks.slice(-limit), marks: marks.slice(-mostMarks), nextBaseFeePerGas }
}

function markOf({ number, hash, timestamp }: Head): BlockMark {
  return { number, hash, timestamp }
}

/** Refuses a head without a base fee. @throws GasFeesError `unsupported`. */
export function requireBaseFee(head: Head): void {
  if (head.hasBaseFee) return
  throw new GasFeesError('unsupported', 'this network has no base fee (EIP-1559): use eth_gasPrice')
}
