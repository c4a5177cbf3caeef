import { encode } from '@ipld/dag-pb'
import type { CID } from 'multiformats/cid'
import { diskBytesOf } from './disk-bytes.ts'

/** A link to a block below another one. Sizes are in bytes. */
export interface Link {
  readonly cid: CID
  /** The size of the block and all blocks below it, each counted as often as it is linked. */
  readonly size: number
  /** The bytes that those blocks take on a disk, counted likewise. */
  readonly diskBytes: number
  /** The size of the file that it holds, or of its part of a file. */
  readonly fileSize: number
}

/** The metadata that UnixFS 1.5 keeps beside the content. */
export interface Metadata {
  readonly mode?: number | undefined
  readonly mtime?: { readonly secs: bigint; readonly nsecs?: number | undefined } | undefined
}

/** A message of UnixFS, which a block holds. */
type Message = {
  readonly type: keyof typeof types
  readonly data?: Uint8Array
  readonly fileSize?: number
  readonly blockSizes?: readonly number[]
  readonly hashType?: number
  readonly fanout?: number
} & Metadata

const types = { raw: 0, directory: 1, file: 2, symlink: 4, shard: 5 } as const

/**
 * Encodes a message of UnixFS, its fields in the order of their numbers. Source: UnixFS specification; for the fields that are
 * left out, Kubo.
 */
export function encodeUnixFs(message: Message): Uint8Array {
  return join(partsOf(message))
}

/** Encodes a dag-pb block without links. `take` gives memory for it, of exactly the length it asks for. */
export function encodeLeaf(message: Message, take?: (length: number) => Uint8Array): Uint8Array {
  const parts = partsOf(message)
  return join([(1 << 3) | 2, ...varint(lengthOf(parts)), ...parts], take)
}

type Parts = readonly (number | Uint8Array)[]

function partsOf(message: Message): Parts {
  const { data, fileSize, blockSizes = [], hashType, fanout, mode, mtime } = message
  const parts: (number | Uint8Array)[] = [1 << 3, types[message.type]]
  // An empty target is written, an empty content is not.
  if (data !== undefined && (data.length > 0 || message.type === 'symlink'))
    parts.push((2 << 3) | 2, ...varint(data.length), data)
  if (fileSize !== undefined) parts.push(3 << 3, ...varint(fileSize))
  for (const size of blockSizes) parts.push(4 << 3, ...varint(size))
  if (hashType !== undefined) parts.push(5 << 3, ...varint(hashType))
  if (fanout !== undefined) parts.push(6 << 3, ...varint(fanout))
  if (mode !== undefined && mode !== 0) parts.push(7 << 3, ...varint(mode))
  if (mtime !== undefined) {
    const time = [1 << 3, ...varint(mtime.secs)]
    const { nsecs = 0 } = mtime
    if (nsecs > 0) time.push((2 << 3) | 5, nsecs & 255, (nsecs >>> 8) & 255, (nsecs >>> 16) & 255, nsecs >>> 24)
    parts.push((8 << 3) | 2, ...varint(time.length), ...time)
  }
  return parts
}

/** Encodes a dag-pb block. Links that have names must be sorted by them. `below` has the sizes of all linked blocks. */
export function encodeParent(
  unixFs: Uint8Array,
  links: Iterable<readonly [name: string, link: Link]>,
): { readonly bytes: Uint8Array; readonly below: Pick<Link, 'size' | 'diskBytes'> } {
  const below = { size: 0, diskBytes: 0 }
  const Links = Array.from(links, ([Name, { cid, size, diskBytes }]) => {
    below.size += size
    below.diskBytes += diskBytes
    return { Hash: cid, Name, Tsize: size }
  })
  return { bytes: encode({ Data: unixFs, Links }), below }
}

/** Makes the link to a block that was written. `below` has the sizes of the blocks that it links to. */
export function linkTo(
  cid: CID,
  length: number,
  fileSize: number,
  below: Pick<Link, 'size' | 'diskBytes'> = { size: 0, diskBytes: 0 },
): Link {
  return { cid, size: length + below.size, diskBytes: diskBytesOf(cid, length) + below.diskBytes, fileSize }
}

function varint(value: number | bigint): number[] {
  if (typeof value === 'bigint' && (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER))) {
    const bytes: number[] = []
    let rest = BigInt.asUintN(64, value)
    for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
    return [...bytes, Number(rest)]
  }
  const bytes: number[] = []
  let rest = Number(value)
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return [...bytes, rest]
}

function lengthOf(parts: Parts): number {
  let length = 0
  for (const part of parts) length += typeof part === 'number' ? 1 : part.length
  return length
}

function join(parts: Parts, take = (length: number): Uint8Array => new Uint8Array(length)): Uint8Array {
  const bytes = take(lengthOf(parts))
  let at = 0
  for (const part of parts) {
    if (typeof part === 'number') bytes[at++] = part
    else {
      bytes.set(part, at)
      at += part.length
    }
  }
  return bytes
}
