import type { CID } from 'multiformats/cid'
import { IpfsError } from '../../error.ts'
import type { BlockSource, TakeBytes } from '../../unixfs/block-source.ts'
import { freshBytes } from '../../unixfs/buffer-pool.ts'
import { type FileNode, openFilePart } from '../../unixfs/file-node.ts'
import { lend, takeBytes } from '../../unixfs/lent-bytes.ts'
import { loadBlock } from '../../unixfs/load-block.ts'
import { linkCid, type PbNode } from '../../unixfs/pb-node.ts'

/** A block that was asked for, and the part of the file that it claims to be. */
interface Pending {
  readonly cid: CID
  readonly start: bigint
  readonly size: bigint
  readonly cost: number
  readonly block: Promise<Uint8Array>
  isReady: boolean
}

/** An open block with children. */
interface Frame {
  readonly node: PbNode
  readonly sizes: BigUint64Array
  /** Children that were asked for and not yet taken, in order. */
  readonly pending: Pending[]
  /** The first child that was not asked for. */
  next: number
  /** The place of that child in the file, in bytes. */
  start: bigint
}

const mostDepth = 512
/** Most memory of open blocks with children, in bytes: a legitimate file of terabytes needs one MiB. */
const mostOpenBytes = 16 * 2 ** 20
/** Most blocks in a row without a byte: more are no file, but a way to keep a reader busy. */
const mostIdle = 4096
const mostLeaf = 2n * 2n ** 20n
/** Shorter blocks have memory of their own: they are no burden for the collector. */
const leastLent = 64 * 1024
/** Assumed cost of a block of which only the size of the file below it is known, in bytes. */
const innerCost = 64 * 1024

/**
 * Reads the bytes `from` to `to` of a file, in order. Blocks are asked for a little before they are needed, at most 2 MiB or
 * 8 blocks ahead. Blocks before `from` are not read. The memory of a part is used again once its reader gives it back. No claim is
 * believed: a part of another size than its parent says ends the stream before a wrong byte.
 *
 * @throws IpfsError `bad_content`, `not_found`, `too_large`, `aborted`
 */
export async function* readFile(
  source: BlockSource,
  root: FileNode,
  range: { readonly from: bigint; readonly to: bigint },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { from, to } = range
  const ended = new AbortController()
  const either = AbortSignal.any([signal, ended.signal])
  const window = createReadWindow()
  const take: TakeBytes = (length) => (length < leastLent ? freshBytes(length) : takeBytes(length))
  const frames: Frame[] = []
  let openBytes = 0
  let idle = 0

  const ask = (frame: Frame, force: boolean): Pending | undefined => {
    for (; frame.next < frame.sizes.length; frame.next++) {
      const size = frame.sizes[frame.next] as bigint
      const { start } = frame
      if (start > to || (start === to && to !== root.size)) return undefined
      if (start + size <= from && from > 0n) {
        frame.start += size
        continue
      }
      const cost = size > mostLeaf ? innerCost : Number(size)
      if (!force && !window.hasRoom(cost)) return undefined
      const cid = linkCid(frame.node, frame.next)
      const pending = { cid, start, size, cost, block: loadBlock(source, cid, either, take), isReady: false }
      pending.block.then(
        () => (pending.isReady = true),
        () => {},
      )
      window.asked(cost)
      frame.next++
      frame.start += size
      return pending
    }
    return undefined
  }

  const readAhead = (): void => {
    for (let at = frames.length - 1; at >= 0; at--) {
      const frame = frames[at] as Frame
      for (let asked = ask(frame, false); asked !== undefined; asked = ask(frame, false)) frame.pending.push(asked)
      if (frame.next < frame.sizes.length) return
    }
  }

  const open = ({ children, data }: FileNode, start: bigint): void => {
    if (children === undefined) return
    openBytes += memoryOf(children.node)
    if (frames.length === mostDepth || openBytes > mostOpenBytes) {
      throw new IpfsError('too_large', `more blocks lie above ${children.node.cid} than can be open at once`)
    }
    frames.push({ ...children, pending: [], next: 0, start: start + BigInt(data.length) })
  }

  try {
    open(root, 0n)
    yield* partOf(root.data, 0n, range)
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      readAhead()
      const taken = frame.pending.shift() ?? ask(frame, true)
      if (taken === undefined || (frame.next === frame.sizes.length && frame.pending.length === 0)) {
        frames.pop()
        openBytes -= memoryOf(frame.node)
        if (taken === undefined) continue
      }
      const wasReady = taken.isReady
      const bytes = await taken.block
      window.taken(taken.cost, wasReady)
      const node = openFilePart(taken.cid, bytes, taken.size)
      if (++idle > mostIdle) throw new IpfsError('bad_content', `more than ${mostIdle} blocks of a file hold no bytes`)
      open(node, taken.start)
      readAhead()
      if (node.children === undefined) lend(bytes)
      for (const part of partOf(node.data, taken.start, range)) {
        idle = 0
        yield part
      }
    }
  } finally {
    ended.abort()
  }
}

function* partOf(
  data: Uint8Array,
  start: bigint,
  { from, to }: { readonly from: bigint; readonly to: bigint },
): Generator<Uint8Array> {
  const end = start + BigInt(data.length)
  if (end <= from || start >= to || data.length === 0) return
  yield data.subarray(Number(from > start ? from - start : 0n), Number((to < end ? to : end) - start))
}

function memoryOf({ bytes, spans, linkCount }: PbNode): number {
  return bytes.length + spans.byteLength + linkCount * 8
}

/** Bounds the blocks that a reader has asked for and that nobody has taken yet. */
interface ReadWindow {
  /** Whether another block of about `cost` bytes may be asked for. One always may. */
  hasRoom(cost: number): boolean
  /** A block was asked for. */
  asked(cost: number): void
  /** A block was taken; `wasReady`: it had come by then. */
  taken(cost: number, wasReady: boolean): void
}

const leastAhead = 256 * 1024
const mostAheadBytes = 2 * 2 ** 20
const mostAheadBlocks = 8

/**
 * Makes a window that grows while the reader has to wait for blocks, and shrinks while blocks wait for the reader. A slow
 * reader holds one block, a fast one at most 2 MiB or 8 blocks.
 */
function createReadWindow(): ReadWindow {
  let limit = leastAhead
  let bytes = 0
  let blocks = 0
  return {
    hasRoom: (cost) => blocks === 0 || (blocks < mostAheadBlocks && bytes + cost <= limit),
    asked(cost) {
      bytes += cost
      blocks++
    },
    taken(cost, wasReady) {
      bytes -= cost
      blocks--
      limit = wasReady ? Math.max(leastAhead, limit - limit / 8) : Math.min(mostAheadBytes, limit * 2)
    },
  }
}
