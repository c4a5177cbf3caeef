import type { CID } from 'multiformats/cid'
import { IpfsError } from '../../error.ts'
import { murmur64 } from '../../local/read/murmur3.ts'
import { linkCid, linkName, type PbNode, parsePb } from '../../local/read/pb-node.ts'
import { requireUnixFs, type UnixFsData } from '../../local/read/unixfs-data.ts'
import { safeName } from '../safe-name.ts'
import { dagPbCodec, rawCodec, sameBytes } from './check-block.ts'
import type { RemoteBlocks } from './remote-blocks.ts'

/** What a checked block says. */
export interface Item {
  readonly cid: CID
  readonly type: 'file' | 'directory' | 'symlink'
  /** Of a file, in bytes. */
  readonly size: number
  readonly node: PbNode | undefined
  readonly data: UnixFsData | undefined
  /** Of a raw block. */
  readonly bytes: Uint8Array
}

/** A member of a directory. */
export interface Member {
  readonly name: string
  readonly cid: CID
}

/** Far beyond the layers of any file that hosts build. */
const deepest = 64
const ahead = 4
const murmur = 0x22
const hashBits = 64n

/** @throws IpfsError `bad_content` */
export async function loadItem(blocks: RemoteBlocks, cid: CID): Promise<Item> {
  const bytes = await blocks.get(cid)
  if (cid.code === rawCodec)
    return { cid, type: 'file', size: bytes.byteLength, node: undefined, data: undefined, bytes }
  if (cid.code !== dagPbCodec) throw bad(cid, 'is no file or directory')
  const node = parsePb(cid, bytes)
  const data = requireUnixFs(node)
  if (data.type === 'metadata') throw bad(cid, 'is no file or directory')
  const type = data.type === 'symlink' ? data.type : data.type === 'file' || data.type === 'raw' ? 'file' : 'directory'
  return { cid, type, size: type === 'file' ? fileSize(cid, data) : 0, node, data, bytes: data.data }
}

/** Bytes `from` to `to` of a file. @throws IpfsError `bad_content` where sizes contradict each other */
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
    // A link to nothing may lead on for ever.
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

/** Where the segments of a path lead. @throws IpfsError `not_found` */
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

async function findMember(blocks: RemoteBlocks, directory: Item, name: string): Promise<CID | undefined> {
  const bytes = new TextEncoder().encode(name)
  let item = directory
  if (item.data!.type === 'directory') {
    const node = item.node!
    for (let index = 0; index < node.linkCount; index++) {
      if (sameBytes(linkName(node, index), bytes)) return linkCid(node, index)
    }
    return undefined
  }
  const hash = murmur64(bytes)
  for (let used = 0n; ;) {
    const { bits, digits } = shardOf(item, used)
    used += bits
    const slot = (hash >> (hashBits - used)) & ((1n << bits) - 1n)
    const prefix = slot.toString(16).toUpperCase().padStart(digits, '0')
    const node = item.node!
    let child: CID | undefined
    for (let index = 0; index < node.linkCount && child === undefined; index++) {
      const link = new TextDecoder().decode(linkName(node, index))
      if (link === prefix + name) return linkCid(node, index)
      if (link === prefix) child = linkCid(node, index)
    }
    if (child === undefined) return undefined
    item = await loadItem(blocks, child)
  }
}

/**
 * The members of a directory, in the order of its links, and no name twice.
 * @throws IpfsError `bad_content` for a name that is not safe as a file's name, or not where it belongs
 */
export async function* membersOf(blocks: RemoteBlocks, directory: Item, used = 0n, path = 0n): AsyncGenerator<Member> {
  const { node, data, cid } = directory
  const shard = data!.type === 'shard' ? shardOf(directory, used) : undefined
  const names = new Set<string>()
  for (let index = 0; index < node!.linkCount; index++) {
    const link = decodeName(cid, linkName(node!, index))
    if (names.has(link)) throw bad(cid, `holds ${JSON.stringify(link)} twice`)
    names.add(link)
    const name = link.slice(shard?.digits ?? 0)
    if (shard === undefined) {
      yield { name: safeName(name), cid: linkCid(node!, index) }
      continue
    }
    const slot = /^[\dA-F]+$/.test(link.slice(0, shard.digits)) ? BigInt(`0x${link.slice(0, shard.digits)}`) : -1n
    const place = (path << shard.bits) | slot
    const taken = used + shard.bits
    if (name === '') {
      const child = await loadItem(blocks, linkCid(node!, index))
      if (child.data?.type !== 'shard') throw bad(child.cid, 'is no part of a sharded directory')
      yield* membersOf(blocks, child, taken, place)
    } else if (murmur64(new TextEncoder().encode(name)) >> (hashBits - taken) !== place) {
      throw bad(cid, `holds ${JSON.stringify(name)} where it does not belong`)
    } else yield { name: safeName(name), cid: linkCid(node!, index) }
  }
}

function fileSize(cid: CID, { data, blockSizes }: UnixFsData): number {
  const size = blockSizes.reduce((sum, each) => sum + each, BigInt(data.byteLength))
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) throw bad(cid, 'claims more than 2^53 bytes')
  return Number(size)
}

function shardOf({ cid, data }: Item, used: bigint): { readonly bits: bigint; readonly digits: number } {
  const { fanout = 0, hashType } = data!
  const bits = Math.log2(fanout)
  if (data!.type !== 'shard' || hashType !== murmur || !Number.isInteger(bits) || bits < 3 || bits > 10) {
    throw bad(cid, 'is no part of a sharded directory')
  }
  if (used + BigInt(bits) > hashBits) throw bad(cid, 'lies deeper than a sharded directory can be')
  return { bits: BigInt(bits), digits: (fanout - 1).toString(16).length }
}

function decodeName(cid: CID, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw bad(cid, 'holds a name that is not UTF-8')
  }
}

function bad(where: CID, what: string): IpfsError {
  return new IpfsError('bad_content', `${where} ${what}`)
}
