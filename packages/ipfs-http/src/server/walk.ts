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

/** Blocks of one parent that are read before their turn, and their bytes if they are as long as the longest until now. */
const mostAhead = 16
const mostAheadBytes = 2 * 2 ** 20

/**
 * Walks a DAG depth first in the order of links, and yields each block that is new to `met`. Blocks of raw bytes and the like, which have no
 * links, are read only if `reads` is `all`. Reads some ahead.
 * @throws IpfsError `aborted`; other failures of blocks are yielded
 */
export async function* walkBlocks(
  source: Pick<BlockSource, 'get'>,
  root: CID,
  met: DigestSet,
  { reads, signal }: { readonly reads: 'all' | 'links'; readonly signal: AbortSignal },
): AsyncGenerator<MetBlock, void, undefined> {
  const stack = createLinkStack()
  const ahead = new Map<string, Promise<Uint8Array>>()
  let longest = 1
  const isRead = ({ code }: CID): boolean => reads === 'all' || !isLeafCodec(code)
  const readAhead = (): void => {
    const most = Math.min(mostAhead, Math.floor(mostAheadBytes / longest))
    if (ahead.size > most / 2) return
    for (const cid of stack.peek(most)) {
      const key = keyOf(cid)
      if (ahead.has(key) || !isRead(cid) || isMet(met, cid)) continue
      const block = source.get(cid, signal)
      block.catch(() => {})
      ahead.set(key, block)
    }
  }

  stack.push(root, [root.bytes])
  for (let cid = stack.pop(); cid !== undefined; cid = stack.pop()) {
    const key = keyOf(cid)
    const asked = ahead.get(key)
    ahead.delete(key)
    if (!meet(met, cid)) continue
    if (!isRead(cid)) {
      yield { cid, size: 0 }
      continue
    }
    let size = 0
    try {
      const bytes = await (asked ?? source.get(cid, signal))
      size = bytes.byteLength
      longest = Math.max(longest, size)
      stack.push(cid, linksOf(cid, bytes))
      readAhead()
    } catch (thrown) {
      throwIfAborted(signal)
      if (!(thrown instanceof IpfsError)) throw thrown
      yield { cid, size: 0, failure: thrown }
      continue
    }
    yield { cid, size }
  }
}

/** A text of a CID that is quick to make. */
function keyOf({ bytes }: CID): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}
