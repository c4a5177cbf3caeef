import type { CID } from 'multiformats/cid'
import { codecCodes } from '../codec-codes.ts'
import { IpfsError } from '../error.ts'
import { createDigestSet, type DigestSet } from '../local/digest-set.ts'
import { createLinkStack, linksOf } from '../local/read/link-stack.ts'
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

/**
 * Walks a DAG depth first in the order of links, and yields each block that is new to `met`. Blocks of raw bytes, which have no links,
 * are read only if `reads` is `all`.
 */
export async function* walkBlocks(
  call: Call,
  root: CID,
  met: DigestSet,
  { reads, isLocal = false }: { readonly reads: 'all' | 'links'; readonly isLocal?: boolean },
): AsyncGenerator<MetBlock, void, undefined> {
  const source = blocksOf(call, isLocal)
  const stack = createLinkStack()
  stack.push(root, [root.bytes])
  for (let cid = stack.pop(); cid !== undefined; cid = stack.pop()) {
    if (!meet(met, cid)) continue
    if (reads === 'links' && cid.code === codecCodes.raw) {
      yield { cid, size: 0 }
      continue
    }
    let size = 0
    try {
      const bytes = await source.get(cid, call.signal)
      size = bytes.byteLength
      stack.push(cid, linksOf(cid, bytes))
    } catch (thrown) {
      if (call.signal.aborted || !(thrown instanceof IpfsError)) throw thrown
      yield { cid, size: 0, failure: thrown }
      continue
    }
    yield { cid, size }
  }
}
