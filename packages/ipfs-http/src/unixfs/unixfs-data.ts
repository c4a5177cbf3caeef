import { IpfsError } from '../error.ts'
import type { PbNode } from './pb-node.ts'
import { type Cursor, readKey, readSpan, readVarint, readVarint64, skipField } from './protobuf.ts'

const types = ['raw', 'directory', 'file', 'metadata', 'symlink', 'shard'] as const

/** The data of a dag-pb block about a file, directory or symlink. Source: UnixFS specification. */
export interface UnixFsData {
  readonly type: (typeof types)[number]
  /** The file's own bytes, the symlink's target, or the bit field of the shard's taken slots. */
  readonly data: Uint8Array
  readonly fileSize: bigint | undefined
  /** The bytes of the file that lie below each link. */
  readonly blockSizes: BigUint64Array
  /** The multicodec of the hash that a shard uses. */
  readonly hashType: number | undefined
  /** The number of slots of a shard. */
  readonly fanout: number | undefined
  /** Permission bits. */
  readonly mode: number | undefined
  readonly mtime: { readonly secs: bigint; readonly nsecs: number } | undefined
}

/** Parses the data of a dag-pb block; undefined if it is not of UnixFS. */
export function parseUnixFs(node: PbNode): UnixFsData | undefined {
  if (node.data === undefined) return undefined
  try {
    return parse(node.data, node.linkCount)
  } catch {
    return undefined
  }
}

/** Parses the data of a block of UnixFS. @throws IpfsError `bad_content` */
export function requireUnixFs(node: PbNode): UnixFsData {
  try {
    if (node.data === undefined) throw new RangeError('it has no data')
    return parse(node.data, node.linkCount)
  } catch (cause) {
    const reason = (cause as Error).message
    throw new IpfsError('bad_content', `block ${node.cid} holds no file, directory or symlink: ${reason}`, { cause })
  }
}

function parse(bytes: Uint8Array, mostSizes: number): UnixFsData {
  const cursor: Cursor = { bytes, at: 0 }
  const blockSizes = new BigUint64Array(mostSizes)
  let sizes = 0
  const addSize = (from: Cursor): void => {
    // Sizes beyond the links are only counted, for the comparison below.
    const size = readVarint64(from)
    if (sizes < mostSizes) blockSizes[sizes] = size
    sizes++
  }
  let type: number | undefined
  let data: Uint8Array = new Uint8Array(0)
  let fileSize: bigint | undefined
  let hashType: number | undefined
  let fanout: number | undefined
  let mode: number | undefined
  let mtime: UnixFsData['mtime']
  while (cursor.at < bytes.length) {
    const { field, wire } = readKey(cursor)
    if (field === 2 && wire === 2) data = spanOf(cursor)
    else if (field === 4 && wire === 2) {
      const packed: Cursor = { bytes: spanOf(cursor), at: 0 }
      while (packed.at < packed.bytes.length) addSize(packed)
    } else if (field === 8 && wire === 2) mtime = parseTime(spanOf(cursor))
    else if (wire !== 0) skipField(cursor, wire)
    else if (field === 1) type = readVarint(cursor)
    else if (field === 3) fileSize = readVarint64(cursor)
    else if (field === 4) addSize(cursor)
    else if (field === 5) hashType = readVarint(cursor)
    else if (field === 6) fanout = readVarint(cursor)
    else if (field === 7) mode = readVarint(cursor) & 0o7777
    else skipField(cursor, wire)
  }
  const named = types[type ?? -1]
  if (named === undefined) throw new RangeError('no type of UnixFS')
  if (sizes !== mostSizes && (named === 'file' || named === 'raw')) {
    throw new RangeError(`${sizes} sizes for ${mostSizes} links`)
  }
  return { type: named, data, fileSize, blockSizes, hashType, fanout, mode, mtime }
}

function spanOf(cursor: Cursor): Uint8Array {
  const { start, length } = readSpan(cursor)
  return cursor.bytes.subarray(start, start + length)
}

function parseTime(bytes: Uint8Array): UnixFsData['mtime'] {
  const cursor: Cursor = { bytes, at: 0 }
  let secs = 0n
  let nsecs = 0
  while (cursor.at < bytes.length) {
    const { field, wire } = readKey(cursor)
    if (field === 1 && wire === 0) secs = BigInt.asIntN(64, readVarint64(cursor))
    else if (field === 2 && wire === 5 && cursor.at + 4 <= bytes.length) {
      nsecs = new DataView(bytes.buffer, bytes.byteOffset + cursor.at).getUint32(0, true)
      cursor.at += 4
    } else skipField(cursor, wire)
  }
  return { secs, nsecs: nsecs < 1e9 ? nsecs : 0 }
}
