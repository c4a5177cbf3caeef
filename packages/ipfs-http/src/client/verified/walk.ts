import type { CID } from 'multiformats/cid'
import { codecCodes } from '../../codec-codes.ts'
import { IpfsError } from '../../error.ts'
import type { BlockSource } from '../../unixfs/block-source.ts'
import { compareBytes } from '../../compare-bytes.ts'
import { directoryEntries } from '../../unixfs/directory-entries.ts'
import { type FileNode, openFileBlock, openFileNode, openFilePart } from '../../unixfs/file-node.ts'
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
  /** The opened block of a file; undefined for others. */
  readonly file: FileNode | undefined
  /** The block of a directory or symlink; undefined for a file. */
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
/** Most blocks in a row without a byte, as in our server: more are no file, but a way to keep a reader busy. */
const mostIdle = 4096
/** Blocks that are expected ahead of the reader. */
const ahead = 4

/** Reads a file, directory or symlink. @throws IpfsError `bad_content` */
export async function loadItem(blocks: RemoteBlocks, cid: CID): Promise<Item> {
  const bytes = await blocks.get(cid)
  if (cid.code === codecCodes.raw) return fileItem(cid, openFileBlock(cid, bytes))
  if (cid.code !== codecCodes.dagPb) throw bad(cid, 'is no file or directory')
  const node = parsePb(cid, bytes)
  const data = requireUnixFs(node)
  if (data.type === 'metadata') throw bad(cid, 'is no file or directory')
  if (data.type === 'file' || data.type === 'raw') return fileItem(cid, openFileNode(node, data), data)
  const type = data.type === 'symlink' ? data.type : 'directory'
  return { cid, type, size: 0, file: undefined, node, data, bytes: data.data }
}

function fileItem(cid: CID, file: FileNode, data?: UnixFsData): Item {
  if (file.size > BigInt(Number.MAX_SAFE_INTEGER)) throw bad(cid, 'claims more than 2^53 bytes')
  return { cid, type: 'file', size: Number(file.size), file, node: undefined, data, bytes: file.data }
}

/**
 * Reads the bytes `from` to `to` of a file. Blocks that lie in the range and should be empty are read too, since another
 * reader may find bytes in them.
 * @throws IpfsError `bad_content` if sizes contradict each other
 */
export async function* fileBytes(
  blocks: RemoteBlocks,
  { cid, size, file }: Item,
  from: number,
  to: number,
): AsyncGenerator<Uint8Array> {
  let idle = 0

  /** Whether a part of the file has to be read. */
  const isAsked = (start: number, end: number): boolean =>
    (start < to || (start === to && to >= size)) && (end > from || from === 0)

  async function* read(
    where: CID,
    { data, children }: FileNode,
    begin: number,
    depth: number,
  ): AsyncGenerator<Uint8Array> {
    if (depth > deepest) throw bad(where, `lies more than ${deepest} levels deep`)
    if (++idle > mostIdle) throw bad(cid, `has more than ${mostIdle} blocks in a row that hold no bytes`)
    const own = data.subarray(Math.max(from - begin, 0), Math.max(to - begin, 0))
    if (own.byteLength > 0) {
      idle = 0
      yield own
    }
    if (children === undefined) return
    const { node, sizes } = children
    let start = begin + data.byteLength
    for (let index = 0; index < node.linkCount; index++) {
      const length = Number(sizes[index])
      if (isAsked(start, start + length)) {
        const upcoming: CID[] = []
        for (let at = index, next = start; at <= index + ahead && at < node.linkCount; next += Number(sizes[at++])) {
          if (isAsked(next, next + Number(sizes[at]))) upcoming.push(linkCid(node, at))
        }
        blocks.expect(upcoming)
        const child = linkCid(node, index)
        const part = openFilePart(child, await blocks.get(child), sizes[index]!)
        yield* read(child, part, start, depth + 1)
      }
      start += length
    }
  }

  if (from < to || size === 0) yield* read(cid, file!, 0, 0)
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

function bad(where: CID, what: string): IpfsError {
  return new IpfsError('bad_content', `${where} ${what}`)
}
