import type { BlockWriter } from './add-blocks.ts'
import { encodeLeaf, encodeParent, encodeUnixFs, type Link, linkTo, type Metadata } from './add-unixfs.ts'
import { IpfsError } from '../error.ts'
import { compareUtf8 } from '../compare-utf8.ts'
import { murmur64 } from './murmur3.ts'

/** The multicodec of murmur3-x64-64. Source: UnixFS specification. */
const shardHash = 0x22
/** Slots of a shard. Source: UnixFS specification. */
const fanout = 256

/** Bytes of the hash of a name, one for each depth of shards. */
const hashBytes = 8

/**
 * Writes a directory: as one block, or as shards if its names and CIDs together have more than `shardThreshold` bytes.
 * @throws IpfsError `bad_argument` for names that were made to fall into the same shard at every depth
 */
export async function writeDirectory(
  children: ReadonlyMap<string, Link>,
  metadata: Metadata,
  shardThreshold: number,
  blocks: BlockWriter,
): Promise<Link> {
  const utf8 = new TextEncoder()
  let estimate = 0
  for (const [name, { cid }] of children) estimate += utf8.encode(name).length + cid.byteLength
  if (estimate > shardThreshold) return writeShards(children, metadata, blocks)
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
  const bytes = encodeLeaf({ type: 'symlink', data: new TextEncoder().encode(target), mtime })
  return linkTo(await blocks.write(bytes, 'dag-pb'), bytes.length, 0)
}

/** The entries of a directory that is written as shards, in flat lists: there may be a million. */
interface Sharded {
  readonly children: ReadonlyMap<string, Link>
  readonly names: readonly string[]
  /** The hash of each name, {@link hashBytes} long. */
  readonly hashes: Uint8Array
}

function writeShards(children: ReadonlyMap<string, Link>, metadata: Metadata, blocks: BlockWriter): Promise<Link> {
  const utf8 = new TextEncoder()
  const names = Array.from(children, ([name]) => name)
  const hashes = new Uint8Array(names.length * hashBytes)
  const view = new DataView(hashes.buffer)
  for (const [i, name] of names.entries()) view.setBigUint64(i * hashBytes, murmur64(utf8.encode(name)))
  return writeShard({ children, names, hashes }, Uint32Array.from(names.keys()), 0, metadata, blocks)
}

/** Writes the shard of the entries at `places` of the lists. */
async function writeShard(
  entries: Sharded,
  places: Uint32Array,
  depth: number,
  metadata: Metadata,
  blocks: BlockWriter,
): Promise<Link> {
  const { children, names, hashes } = entries
  if (depth === hashBytes) {
    throw new IpfsError('bad_argument', `too many names in a directory have the same hash as ${names[places[0]!]}`)
  }
  const { ordered, ends } = orderBySlot(places, (place) => hashes[place * hashBytes + depth]!)
  const links: [string, Link][] = []
  const taken = new Uint8Array(fanout / 8)
  for (let slot = 0, begin = 0; slot < fanout; begin = ends[slot++]!) {
    const own = ordered.subarray(begin, ends[slot])
    if (own.length === 0) continue
    taken[taken.length - 1 - (slot >> 3)]! |= 1 << (slot & 7)
    const prefix = slot.toString(16).toUpperCase().padStart(2, '0')
    const name = names[own[0]!]!
    if (own.length === 1) links.push([prefix + name, children.get(name)!])
    else links.push([prefix, await writeShard(entries, own, depth + 1, {}, blocks)])
  }
  const first = taken.findIndex((byte) => byte !== 0)
  const data = first < 0 ? undefined : taken.subarray(first)
  const unixFs = encodeUnixFs({ type: 'shard', ...(data && { data }), hashType: shardHash, fanout, ...metadata })
  return write(unixFs, links, blocks)
}

/** Orders places by their slots, and tells where each slot ends. */
function orderBySlot(
  places: Uint32Array,
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
