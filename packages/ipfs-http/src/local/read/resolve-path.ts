import { CID } from 'multiformats/cid'
import type { IpfsPath } from '../../backend.ts'
import { codecCodes, decodeBlock, noLink, stepInto } from '../../codecs.ts'
import type { BlockSource } from '../../unixfs/block-source.ts'
import { findInShards } from '../../unixfs/hamt.ts'
import { loadBlock, loadPb } from '../../unixfs/load-block.ts'
import { linkCid, linkName } from '../../unixfs/pb-node.ts'
import { parseUnixFs } from '../../unixfs/unixfs-data.ts'

/**
 * Resolves a path. Links of dag-pb go by name, through plain and sharded directories. In dag-cbor and dag-json a path goes
 * through the block, and on from a link that it meets. `remainder` is the rest of the path that lies inside the last block
 * and leads to no link. The last block is not read, unless something inside it was asked for. Symlinks are not followed.
 *
 * @throws IpfsError `not_found` (`no link named "x" under <cid>`; a block), `bad_content`, `unsupported`, `aborted`
 */
export async function resolvePath(
  source: BlockSource,
  path: IpfsPath,
  signal: AbortSignal,
): Promise<{ readonly cid: CID; readonly remainder: readonly string[] }> {
  let { cid } = path
  let segments = path.segments
  for (let [name, ...rest] = segments; name !== undefined; [name, ...rest] = segments) {
    if (cid.code === codecCodes.dagPb) {
      cid = await namedLink(source, cid, name, signal)
      segments = rest
      continue
    }
    if (cid.code === codecCodes.raw) throw noLink(name, cid)
    const within = linkWithin(cid, await loadBlock(source, cid, signal), segments)
    if (within === undefined) return { cid, remainder: segments }
    ;[cid, segments] = within
  }
  return { cid, remainder: [] }
}

async function namedLink(source: BlockSource, cid: CID, name: string, signal: AbortSignal): Promise<CID> {
  const node = await loadPb(source, cid, signal)
  const utf8 = new TextEncoder().encode(name)
  const data = parseUnixFs(node)
  if (data?.type === 'shard') {
    const found = await findInShards(source, node, data, utf8, signal)
    if (found === undefined) throw noLink(name, cid)
    return found
  }
  // The links of a file have no names. They are not searched, because a directory may have an entry with an empty name.
  const named = data === undefined || data.type === 'directory' ? node.linkCount : 0
  for (let index = 0; index < named; index++) {
    if (Buffer.compare(linkName(node, index), utf8) === 0) return linkCid(node, index)
  }
  throw noLink(name, cid)
}

/** Finds the first link on the way, and the rest of the path behind it; undefined if the path stays inside the block. */
function linkWithin(
  cid: CID,
  bytes: Uint8Array,
  segments: readonly string[],
): readonly [CID, readonly string[]] | undefined {
  let value = decodeBlock(cid, bytes)
  for (const [at, segment] of segments.entries()) {
    value = stepInto(value, segment)
    if (value === undefined) throw noLink(segment, cid)
    const link = CID.asCID(value)
    if (link !== null) return [link, segments.slice(at + 1)]
  }
  return undefined
}
