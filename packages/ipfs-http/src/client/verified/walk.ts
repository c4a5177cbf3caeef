import type { CID } from 'multiformats/cid'
import { codecCodes } from '../../codec-codes.ts'
import { IpfsError } from '../../error.ts'
import type { BlockSource } from '../../unixfs/block-source.ts'
import { compareBytes } from '../../compare-bytes.ts'
import { directoryEntries } from '../../unixfs/directory-entries.ts'
import { findInShards } from '../../unixfs/hamt.ts'
import { linkCid, linkName, type PbNode, parsePb } from '../../unixfs/pb-node.ts'
import { requireUnixFs, type UnixFsData } from '../../unixfs/unixfs-data.ts'
import { safeName } from '../safe-name.ts'
import type { RemoteBlocks } from './remote-blocks.ts'

/** A file, directory or symlink, as its checked block tells. */
export interface Item {
  readonly cid: CID
  readonly type: 'file' | 'directory' | 'symlink'
  /** The size of a file, in bytes; 0 for others. */
  readonly size: number
  readonly node: PbNode | undefined
  readonly data: UnixFsData | undefined
  /** The own bytes of the block: content of a file, or the target of a symlink. */
  readonly bytes: Uint8Array
}

/** A member of a directory. */
export interface Member {
  readonly name: string
  readonly cid: CID
}

/** Most levels of a file, far beyond those that hosts build. */
const deepest = 64
/** Blocks that are expected ahead of the reader. */
const ahead = 4

/** Reads a file, directory or symlink. @throws IpfsError `bad_content` */
export async function loadItem(blocks: RemoteBlocks, cid: CID): Promise<Item> {
  const bytes = await blocks.get(cid)
  if (cid.code === codecCodes.raw)
    return { cid, type: 'file', size: bytes.byteLength, node: undefined, data: undefined, bytes }
  if (cid.code !== codecCodes.dagPb) throw bad(cid, 'is no file or directory')
  const node = parsePb(cid, bytes)
  const data = requireUnixFs(node)
  if (data.type === 'metadata') throw bad(cid, 'is no file or directory')
  const type = data.type === 'symlink' ? data.type : data.type === 'file' || data.type === 'raw' ? 'file' : 'directory'
  return { cid, type, size: type === 'file' ? fileSize(cid, data) : 0, node, data, bytes: data.data }
}

/** Reads the bytes `from` to `to` of a file. @throws IpfsError `bad_content` if sizes contradict each other */
export async function* fileBytes(
  blocks: RemoteBlocks,
  item: Item,
  from: number,
  to: number,
  depth = 0,
): AsyncGenerator<Uint8Array> {
  const { cid, node, data, bytes } = item
  if (depth > deepest) throw bad(cid, `lies more than ${deepest} levels deep`)
  const own = bytes.subarray(Math.max(from, 0), Math.max(to, 0))
  if (own.byteLength > 0) yield own
  let start = bytes.byteLength
  if (node === undefined) return
  for (let index = 0; index < node.linkCount; index++) {
    const size = Number(data!.blockSizes[index])
    const end = start + size
    // Links to empty parts are skipped: they may lead on for ever.
    if (size > 0 && end > from && start < to) {
      const next = Math.min(node.linkCount, index + 1 + ahead)
      const child = linkCid(node, index)
      const upcoming = [child]
      for (let at = index + 1, begins = end; at < next && begins < to; begins += Number(data!.blockSizes[at++])) {
        upcoming.push(linkCid(node, at))
      }
      blocks.expect(upcoming)
      const below = await loadItem(blocks, child)
      if (below.type !== 'file' || below.size !== size) throw bad(child, `is no part of a file of ${size} bytes`)
      yield* fileBytes(blocks, below, from - start, to - start, depth + 1)
    }
    start = end
  }
}

/** Resolves the segments of a path. @throws IpfsError `not_found` */
export async function resolvePath(blocks: RemoteBlocks, root: CID, segments: readonly string[]): Promise<CID> {
  let cid = root
  for (const segment of segments) {
    const item = await loadItem(blocks, cid)
    const found = item.type === 'directory' ? await findMember(blocks, item, segment) : undefined
    if (found === undefined) throw new IpfsError('not_found', `no link named ${JSON.stringify(segment)} under ${cid}`)
    cid = found
  }
  return cid
}

async function findMember(blocks: RemoteBlocks, { node, data }: Item, name: string): Promise<CID | undefined> {
  const bytes = new TextEncoder().encode(name)
  if (data!.type === 'shard') return findInShards(sourceOf(blocks), node!, data!, bytes, never)
  for (let index = 0; index < node!.linkCount; index++) {
    if (compareBytes(linkName(node!, index), bytes) === 0) return linkCid(node!, index)
  }
  return undefined
}

/**
 * Yields the members of a directory, in the order of its links. No name comes twice.
 * @throws IpfsError `bad_content` for a name that is not safe as a file's name, or is not where it belongs
 */
export async function* membersOf(blocks: RemoteBlocks, { node, data }: Item): AsyncGenerator<Member> {
  for await (const { name, cid } of directoryEntries(sourceOf(blocks), node!, data!, never)) {
    yield { name: safeName(name), cid }
  }
}

/** A signal that never aborts: these reads end by the signal that the blocks have. */
const never = new AbortController().signal

function sourceOf(blocks: RemoteBlocks): BlockSource {
  return { get: (cid) => blocks.get(cid), has: async () => false }
}

function fileSize(cid: CID, { data, blockSizes }: UnixFsData): number {
  const size = blockSizes.reduce((sum, each) => sum + each, BigInt(data.byteLength))
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) throw bad(cid, 'claims more than 2^53 bytes')
  return Number(size)
}

function bad(where: CID, what: string): IpfsError {
  return new IpfsError('bad_content', `${where} ${what}`)
}
