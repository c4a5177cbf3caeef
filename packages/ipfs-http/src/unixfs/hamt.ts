import type { CID } from 'multiformats/cid'
import { IpfsError } from '../error.ts'
import type { BlockSource } from './block-source.ts'
import { compareBytes } from '../compare-bytes.ts'
import { loadPb } from './load-block.ts'
import { murmur64 } from './murmur3.ts'
import { linkCid, linkName, linkSize, type PbNode } from './pb-node.ts'
import { requireUnixFs, type UnixFsData } from './unixfs-data.ts'

/** One level of a sharded directory. Each slot holds an entry, or the next level. Source: UnixFS specification, HAMT. */
interface Shard {
  readonly node: PbNode
  /** The number of bits of a name's hash that choose the slot. */
  readonly bits: number
  /** The number of hexadecimal digits before each name, which are its slot. */
  readonly digits: number
  /** The slot of each link; they ascend. */
  readonly slots: readonly number[]
}

export interface DirectoryEntry {
  /** UTF-8, as it stands in the block. */
  readonly name: Uint8Array
  readonly cid: CID
  /** Bytes of all blocks below it, as the directory claims them. */
  readonly size: bigint
}

const murmur = 0x22
const mostFanout = 1024
const hashBits = 64

/** Finds the entry of a name in a sharded directory. @throws IpfsError `bad_content`, `not_found` (a shard), `aborted` */
export async function findInShards(
  source: BlockSource,
  root: PbNode,
  data: UnixFsData,
  name: Uint8Array,
  signal: AbortSignal,
): Promise<CID | undefined> {
  const hash = murmur64(name)
  let shard = parseShard(root, data)
  for (let used = 0; ;) {
    const index = shard.slots.indexOf(slotOf(hash, used, shard))
    if (index < 0) return undefined
    const entry = linkName(shard.node, index).subarray(shard.digits)
    if (entry.length > 0) return compareBytes(entry, name) === 0 ? linkCid(shard.node, index) : undefined
    used += shard.bits
    shard = await loadShard(source, linkCid(shard.node, index), used, signal)
  }
}

/**
 * Yields the entries of a sharded directory in the order of their slots. Each must be where its name belongs, so no name can
 * come twice.
 *
 * @throws IpfsError `bad_content`, `not_found` (a shard), `aborted`
 */
export async function* shardEntries(
  source: BlockSource,
  root: PbNode,
  data: UnixFsData,
  signal: AbortSignal,
): AsyncGenerator<DirectoryEntry> {
  const open = [{ shard: parseShard(root, data), used: 0, at: 0, path: 0n }]
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const { shard, used } = top
    const slot = shard.slots[top.at]
    if (slot === undefined) {
      open.pop()
      continue
    }
    const index = top.at++
    const cid = linkCid(shard.node, index)
    const name = linkName(shard.node, index).subarray(shard.digits)
    const path = (top.path << BigInt(shard.bits)) | BigInt(slot)
    const taken = used + shard.bits
    if (name.length === 0) {
      open.push({ shard: await loadShard(source, cid, taken, signal), used: taken, at: 0, path })
      continue
    }
    if (murmur64(name) >> BigInt(hashBits - taken) !== path) {
      throw new IpfsError('bad_content', `an entry of the sharded directory ${shard.node.cid} is not where it belongs`)
    }
    yield { name, cid, size: linkSize(shard.node, index) }
  }
}

async function loadShard(source: BlockSource, cid: CID, used: number, signal: AbortSignal): Promise<Shard> {
  const node = await loadPb(source, cid, signal)
  const shard = parseShard(node, requireUnixFs(node))
  if (used + shard.bits > hashBits) {
    throw new IpfsError('bad_content', `a sharded directory is deeper than the hash of a name, at ${cid}`)
  }
  // Otherwise a few blocks could make an endless tree of shards without an entry.
  if (shard.slots.length === 0) throw new IpfsError('bad_content', `shard ${cid} has no entries`)
  return shard
}

function parseShard(node: PbNode, { type, data, hashType, fanout = 0 }: UnixFsData): Shard {
  const bad = (reason: string): IpfsError => new IpfsError('bad_content', `block ${node.cid} is no shard: ${reason}`)
  if (type !== 'shard') throw bad(`it is of type ${type}`)
  if (hashType !== murmur) throw bad(`its hash is ${hashType}, expected murmur3-x64-64 (${murmur})`)
  const bits = Math.log2(fanout)
  if (fanout < 8 || fanout > mostFanout || !Number.isInteger(bits)) throw bad(`it has ${fanout} slots`)
  const digits = (fanout - 1).toString(16).length
  const slots: number[] = []
  for (let index = 0; index < node.linkCount; index++) {
    const slot = readSlot(linkName(node, index), digits)
    if (!(slot < fanout && slot > (slots.at(-1) ?? -1))) throw bad(`its links are not in the order of ${fanout} slots`)
    if (!isTaken(data, slot)) throw bad(`slot ${slot} is not in its bit field`)
    slots.push(slot)
  }
  if (countBits(data) !== slots.length) throw bad('its bit field names other slots than its links')
  return { node, bits, digits, slots }
}

/** Reads upper-case hexadecimal digits; NaN if a name has too few characters. */
function readSlot(name: Uint8Array, digits: number): number {
  let slot = 0
  for (let at = 0; at < digits; at++) slot = slot * 16 + '0123456789ABCDEF'.indexOf(String.fromCharCode(name[at] ?? 0))
  return name.length < digits ? Number.NaN : slot
}

/** Tests the bit of a slot. The field is a big-endian number: its last byte holds slots 0 to 7. */
function isTaken(field: Uint8Array, slot: number): boolean {
  return (((field[field.length - 1 - (slot >> 3)] ?? 0) >> (slot & 7)) & 1) === 1
}

function countBits(field: Uint8Array): number {
  let count = 0
  for (let byte of field) for (; byte > 0; byte >>= 1) count += byte & 1
  return count
}

function slotOf(hash: bigint, used: number, { bits }: Shard): number {
  return Number((hash >> BigInt(hashBits - used - bits)) & ((1n << BigInt(bits)) - 1n))
}
