import type { CID } from 'multiformats/cid'
import { throwIfAborted } from '../abortable.ts'
import { IpfsError } from '../error.ts'
import { createDigestSet, type DigestSet } from '../local/digest-set.ts'
import { createLinkStack, isLeafCodec, linksOf } from '../local/read/link-stack.ts'
import type { BlockSource } from '../unixfs/block-source.ts'
import type { Call } from './call.ts'

/** Most blocks that one command walks, whose memory must have a bound. */
const mostBlocks = 2 ** 26

/** The blocks that a command has met. */
export function metBlocks(): DigestSet {
  return createDigestSet(mostBlocks)
}

/** Adds a CID, and tells whether it was new. As in Kubo, the versions of a CID are two. */
export function meet(met: DigestSet, { code, multihash, version }: CID): boolean {
  return met.add(multihash.bytes, code + version * 2 ** 30)
}

/** Whether a CID was added. */
export function isMet(met: DigestSet, { code, multihash, version }: CID): boolean {
  return met.has(multihash.bytes, code + version * 2 ** 30)
}

/** Reads the blocks of the backend of a call, each in the time of a step. `isLocal`: fetches nothing. */
export function blocksOf({ backend, backendCall, wait }: Call, isLocal = false): Pick<BlockSource, 'get'> {
  const call = isLocal ? { ...backendCall, isLocal } : backendCall
  return { get: (cid) => wait(backend.getBlock(cid, call)) }
}

/** A block of a walk. */
export interface MetBlock {
  readonly cid: CID
  /** Its length in bytes; 0 for one that was not read. */
  readonly size: number
  /** The reason why it, and so what lies below it, cannot be read. */
  readonly failure?: IpfsError
}

/** Most blocks of one parent, and of all, that are read before their turn. */
const mostAhead = 48
const mostAheadOfAll = 64
/** Bytes of blocks of one parent that are read ahead, if all are as long as the longest until now; the first are taken to be long. */
const aheadBytes = 2 * 2 ** 20
const firstGuess = 512 * 1024
/** Most bytes that wait for their turn. Blocks beyond them are dropped, and read again. */
const mostHeldBytes = 4 * 2 ** 20

/**
 * Walks DAGs one after the other, each depth first in the order of links, and yields each block that is new to `met`. Blocks of raw bytes and
 * the like, which have no links, are read only if `reads` is `all`. Reads some ahead.
 * @throws IpfsError `aborted`; other failures of blocks are yielded
 */
export async function* walkBlocks(
  source: Pick<BlockSource, 'get'>,
  roots: readonly CID[],
  met: DigestSet,
  { reads, signal }: { readonly reads: 'all' | 'links'; readonly signal: AbortSignal },
): AsyncGenerator<MetBlock, void, undefined> {
  const stack = createLinkStack()
  const isRead = ({ code }: CID): boolean => reads === 'all' || !isLeafCodec(code)
  const ahead = createReadAhead(source, signal)
  const readAhead = (): void => {
    for (const cid of stack.peek(ahead.depth)) if (isRead(cid) && !isMet(met, cid)) ahead.ask(cid)
  }

  stack.push(
    roots[0]!,
    roots.map(({ bytes }) => bytes),
  )
  let sinceAhead = roots.length > 1 ? mostAhead : 0
  for (let cid = stack.pop(); cid !== undefined; cid = stack.pop()) {
    if (!meet(met, cid)) continue
    if (!isRead(cid)) {
      yield { cid, size: 0 }
      continue
    }
    let size = 0
    try {
      const block = ahead.take(cid) ?? source.get(cid, signal)
      if (++sinceAhead > ahead.depth / 2) {
        sinceAhead = 0
        readAhead()
      }
      const bytes = await block
      size = bytes.byteLength
      const links = linksOf(cid, bytes)
      stack.push(cid, links)
      if (links.length > 0) readAhead()
    } catch (thrown) {
      throwIfAborted(signal)
      if (!(thrown instanceof IpfsError)) throw thrown
      yield { cid, size: 0, failure: thrown }
      continue
    }
    yield { cid, size }
  }
}

/** Blocks that were asked for before their turn. */
interface ReadAhead {
  /** Blocks of one parent that are worth asking for. */
  readonly depth: number
  ask(cid: CID): void
  /** Takes a block that was asked for; undefined: it has to be read. */
  take(cid: CID): Promise<Uint8Array> | undefined
}

function createReadAhead(source: Pick<BlockSource, 'get'>, signal: AbortSignal): ReadAhead {
  const asked = new Map<string, { readonly block: Promise<Uint8Array>; bytes: number }>()
  let longest = 0
  let held = 0

  return {
    get depth() {
      return Math.min(mostAhead, Math.max(1, Math.floor(aheadBytes / (longest || firstGuess))))
    },
    ask(cid) {
      const key = keyOf(cid)
      const isFull = asked.size >= mostAheadOfAll || asked.size * (longest || firstGuess) >= mostHeldBytes
      if (isFull || asked.has(key)) return
      const read = { block: source.get(cid, signal), bytes: 0 }
      asked.set(key, read)
      read.block.then(
        ({ byteLength }) => {
          longest = Math.max(longest, byteLength)
          if (asked.get(key) !== read) return
          if (held + byteLength > mostHeldBytes) return void asked.delete(key)
          read.bytes = byteLength
          held += byteLength
        },
        () => {},
      )
    },
    take(cid) {
      const key = keyOf(cid)
      const read = asked.get(key)
      if (read === undefined) return undefined
      asked.delete(key)
      held -= read.bytes
      return read.block
    },
  }
}

/** A text of a CID that is quick to make. */
function keyOf({ bytes }: CID): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}
