import type { BlockWriter } from './add-blocks.ts'
import { encodeLeaf, encodeParent, encodeUnixFs, type Link, linkTo, type Metadata } from './add-unixfs.ts'
import { IpfsError } from '../error.ts'
import { compareBytes } from '../compare-bytes.ts'
import { murmur64 } from './murmur3.ts'

/** The multicodec of murmur3-x64-64. Source: UnixFS specification. */
const shardHash = 0x22
/** Slots of a shard. Source: UnixFS specification. */
const fanout = 256

/** Bytes of the hash of a name, one for each depth of shards. */
const hashBytes = 8

interface Named {
  readonly name: string
  readonly utf8: Uint8Array
  readonly link: Link
}

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
  const entries = Array.from(children, ([name, link]): Named => ({ name, utf8: utf8.encode(name), link }))
  const estimate = entries.reduce((sum, { utf8: { length }, link }) => sum + length + link.cid.byteLength, 0)
  if (estimate > shardThreshold) return writeShard(entries.map(hashed), 0, metadata, blocks)
  // Sorts as Kubo does, by the bytes of the names.
  entries.sort((a, b) => compareBytes(a.utf8, b.utf8))
  const unixFs = encodeUnixFs({ type: 'directory', ...metadata })
  return write(
    unixFs,
    entries.map(({ name, link }) => [name, link]),
    blocks,
  )
}

/** Writes a symlink, which has a time but no permissions of its own. */
export async function writeSymlink(target: string, { mtime }: Metadata, blocks: BlockWriter): Promise<Link> {
  const bytes = encodeLeaf({ type: 'symlink', data: new TextEncoder().encode(target), mtime })
  return linkTo(await blocks.write(bytes, 'dag-pb'), bytes.length, 0)
}

type Hashed = Named & { readonly hash: Uint8Array }

function hashed(entry: Named): Hashed {
  const hash = new Uint8Array(hashBytes)
  new DataView(hash.buffer).setBigUint64(0, murmur64(entry.utf8))
  return { ...entry, hash }
}

async function writeShard(
  entries: readonly Hashed[],
  depth: number,
  metadata: Metadata,
  blocks: BlockWriter,
): Promise<Link> {
  if (depth === hashBytes) {
    throw new IpfsError('bad_argument', `too many names in a directory have the same hash as ${entries[0]?.name}`)
  }
  const slots = new Map<number, Hashed[]>()
  for (const entry of entries) {
    const slot = entry.hash[depth]!
    const found = slots.get(slot)
    if (found === undefined) slots.set(slot, [entry])
    else found.push(entry)
  }
  const links: [string, Link][] = []
  const taken = new Uint8Array(fanout / 8)
  for (const slot of [...slots.keys()].toSorted((a, b) => a - b)) {
    taken[taken.length - 1 - (slot >> 3)]! |= 1 << (slot & 7)
    const prefix = slot.toString(16).toUpperCase().padStart(2, '0')
    const [only, ...others] = slots.get(slot)!
    if (others.length === 0) links.push([prefix + only!.name, only!.link])
    else links.push([prefix, await writeShard(slots.get(slot)!, depth + 1, {}, blocks)])
  }
  const first = taken.findIndex((byte) => byte !== 0)
  const data = first < 0 ? undefined : taken.subarray(first)
  const unixFs = encodeUnixFs({ type: 'shard', ...(data && { data }), hashType: shardHash, fanout, ...metadata })
  return write(unixFs, links, blocks)
}

async function write(
  unixFs: Uint8Array,
  links: readonly (readonly [string, Link])[],
  blocks: BlockWriter,
): Promise<Link> {
  const { bytes, below } = encodeParent(unixFs, links)
  return linkTo(await blocks.write(bytes, 'dag-pb'), bytes.length, 0, below)
}
