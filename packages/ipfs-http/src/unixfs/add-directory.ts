import type { CID } from 'multiformats/cid'
import type { BlockWriter } from './add-blocks.ts'
import { encodeLeaf, encodeParent, encodeUnixFs, type Link, linkTo, type Metadata } from './add-unixfs.ts'
import { IpfsError } from '../error.ts'
import { compareUtf8 } from '../compare-utf8.ts'
import { murmur64 } from './murmur3.ts'
import type { DirectoryShape } from './profile.ts'

/** The multicodec of murmur3-x64-64. Source: UnixFS specification. */
const shardHash = 0x22
/** The size above which a directory is sharded, in bytes. Source: Kubo, IPIP-499. */
export const shardThreshold = 262_144

/** Bits of the hash of a name, of which each depth of shards takes some. */
const hashBits = 64

const utf8 = new TextEncoder()

/** Whether a directory is written as shards: above 256 KiB, estimated as the shape says, or with too many entries. Source: boxo, IPIP-499. */
export function isSharded(
  children: ReadonlyMap<string, Link>,
  metadata: Metadata,
  { maxDirectoryLinks, sizeEstimation }: DirectoryShape,
): boolean {
  if (maxDirectoryLinks > 0 && children.size > maxDirectoryLinks) return true
  const isBlock = sizeEstimation === 'block'
  let bytes = isBlock ? spanOf(encodeUnixFs({ type: 'directory', ...metadata }).length) : 0
  for (const [name, { cid, size }] of children) {
    bytes += isBlock ? blockBytesOf(name, cid, size) : linkBytesOf(name, cid)
    if (bytes > shardThreshold) return true
  }
  return false
}

/** The bytes of an entry's name and CID. */
export function linkBytesOf(name: string, cid: CID): number {
  return utf8.encode(name).length + cid.byteLength
}

/** The bytes that an entry takes in the block of its directory. `size`: of its whole DAG. */
export function blockBytesOf(name: string, cid: CID, size: number): number {
  return spanOf(spanOf(cid.byteLength) + spanOf(utf8.encode(name).length) + 1 + varintLength(size))
}

/** The bytes of a protobuf field that holds so many: a key, their number, and themselves. */
function spanOf(length: number): number {
  return 1 + varintLength(length) + length
}

function varintLength(value: number): number {
  let length = 1
  for (let rest = value; rest >= 128; rest /= 128) length++
  return length
}

/**
 * Writes a directory, as one block or as shards.
 * @throws IpfsError `bad_argument` for names that were made to fall into the same shard at every depth
 */
export async function writeDirectory(
  children: ReadonlyMap<string, Link>,
  metadata: Metadata,
  shape: DirectoryShape,
  blocks: BlockWriter,
  asShards: boolean = isSharded(children, metadata, shape),
): Promise<Link> {
  if (asShards) return writeShards(children, metadata, shape.maxHamtFanout, blocks)
  const unixFs = encodeUnixFs({ type: 'directory', ...metadata })
  // Sorts as Kubo does, by the bytes of the names.
  return write(
    unixFs,
    [...children].toSorted(([one], [other]) => compareUtf8(one, other)),
    blocks,
  )
}

/** Writes a symlink, which has a time but no permissions of its own. */
export async function writeSymlink(target: string, { mtime }: Metadata, blocks: BlockWriter): Promise<Link> {
  const bytes = encodeLeaf({ type: 'symlink', data: utf8.encode(target), mtime })
  return linkTo(await blocks.write(bytes, 'dag-pb'), bytes.length, 0)
}

/** The entries of a directory that is written as shards, in flat lists: there may be a million. */
interface Sharded {
  readonly children: ReadonlyMap<string, Link>
  readonly names: readonly string[]
  /** The hash of each name, 8 bytes long. */
  readonly hashes: Uint8Array
  readonly fanout: number
}

function writeShards(
  children: ReadonlyMap<string, Link>,
  metadata: Metadata,
  fanout: number,
  blocks: BlockWriter,
): Promise<Link> {
  const names = Array.from(children, ([name]) => name)
  const hashes = new Uint8Array(names.length * 8)
  const view = new DataView(hashes.buffer)
  for (const [i, name] of names.entries()) view.setBigUint64(i * 8, murmur64(utf8.encode(name)))
  return writeShard({ children, names, hashes, fanout }, Uint32Array.from(names.keys()), 0, metadata, blocks)
}

/** Writes the shard of the entries at `places` of the lists. */
async function writeShard(
  entries: Sharded,
  places: Uint32Array,
  depth: number,
  metadata: Metadata,
  blocks: BlockWriter,
): Promise<Link> {
  const { children, names, hashes, fanout } = entries
  const bits = Math.log2(fanout)
  const digits = (fanout - 1).toString(16).length
  if ((depth + 1) * bits > hashBits) {
    throw new IpfsError('bad_argument', `too many names in a directory have the same hash as ${names[places[0]!]}`)
  }
  const slotOf = (place: number): number => bitsAt(hashes, place * hashBits + depth * bits, bits)
  const { ordered, ends } = orderBySlot(places, fanout, slotOf)
  const links: [string, Link][] = []
  const taken = new Uint8Array(fanout / 8)
  for (let slot = 0, begin = 0; slot < fanout; begin = ends[slot++]!) {
    const own = ordered.subarray(begin, ends[slot])
    if (own.length === 0) continue
    taken[taken.length - 1 - (slot >> 3)]! |= 1 << (slot & 7)
    const prefix = slot.toString(16).toUpperCase().padStart(digits, '0')
    const name = names[own[0]!]!
    if (own.length === 1) links.push([prefix + name, children.get(name)!])
    else links.push([prefix, await writeShard(entries, own, depth + 1, {}, blocks)])
  }
  const first = taken.findIndex((byte) => byte !== 0)
  const data = first < 0 ? undefined : taken.subarray(first)
  const unixFs = encodeUnixFs({ type: 'shard', ...(data && { data }), hashType: shardHash, fanout, ...metadata })
  return write(unixFs, links, blocks)
}

/** Reads up to 16 bits from bit `from` on, of which the first is the highest of the first byte. */
function bitsAt(bytes: Uint8Array, from: number, count: number): number {
  const first = from >> 3
  const window = ((bytes[first] ?? 0) << 16) | ((bytes[first + 1] ?? 0) << 8) | (bytes[first + 2] ?? 0)
  return (window >> (24 - (from & 7) - count)) & ((1 << count) - 1)
}

/** Orders places by their slots, and tells where each slot ends. */
function orderBySlot(
  places: Uint32Array,
  fanout: number,
  slotOf: (place: number) => number,
): { readonly ordered: Uint32Array; readonly ends: Uint32Array } {
  const ends = new Uint32Array(fanout)
  for (const place of places) ends[slotOf(place)]!++
  for (let slot = 1; slot < fanout; slot++) ends[slot]! += ends[slot - 1]!
  const ordered = new Uint32Array(places.length)
  const next = ends.slice()
  for (let i = places.length - 1; i >= 0; i--) ordered[--next[slotOf(places[i]!)]!] = places[i]!
  return { ordered, ends }
}

async function write(
  unixFs: Uint8Array,
  links: readonly (readonly [string, Link])[],
  blocks: BlockWriter,
): Promise<Link> {
  const { bytes, below } = encodeParent(unixFs, links)
  return linkTo(await blocks.write(bytes, 'dag-pb'), bytes.length, 0, below)
}
