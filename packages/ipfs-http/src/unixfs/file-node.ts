import type { CID } from 'multiformats/cid'
import { codecCodes } from '../codec-codes.ts'
import { IpfsError } from '../error.ts'
import { type PbNode, parsePb } from './pb-node.ts'
import { requireUnixFs, type UnixFsData } from './unixfs-data.ts'

/** One block of a file: its own bytes, followed by those of its children. */
export interface FileNode {
  readonly data: Uint8Array
  /** The number of bytes of the file in this block and below. */
  readonly size: bigint
  readonly children: { readonly node: PbNode; readonly sizes: BigUint64Array } | undefined
}

/** Largest size of a file, in bytes. Source: Kubo, whose sizes are signed. */
const mostSize = 2n ** 63n - 1n

/** Opens a block as a part of a file. @throws IpfsError `bad_content`, `is_directory`, `unsupported` */
export function openFileBlock(cid: CID, bytes: Uint8Array): FileNode {
  if (cid.code === codecCodes.raw) return leaf(bytes)
  if (cid.code !== codecCodes.dagPb) {
    const codec = `0x${cid.code.toString(16)}`
    throw new IpfsError('unsupported', `unknown node type: expected a file of raw or dag-pb, came ${cid} of ${codec}`)
  }
  const node = parsePb(cid, bytes)
  return openFileNode(node, requireUnixFs(node))
}

/** Opens a block that was parsed, in the same way. A symlink reads as its target, as in Kubo. */
export function openFileNode(node: PbNode, { type, data, blockSizes, fileSize }: UnixFsData): FileNode {
  if (type === 'directory' || type === 'shard') throw new IpfsError('is_directory', 'this dag node is a directory')
  if (type === 'symlink') return leaf(data)
  if (type === 'metadata') throw new IpfsError('unsupported', `unknown node type: ${node.cid} holds metadata`)
  let size = BigInt(data.length)
  for (const each of blockSizes) size += each
  if (size > mostSize || (fileSize !== undefined && fileSize !== size)) {
    const claims = `${fileSize ?? 'no'} bytes, and ${size} in its parts`
    throw new IpfsError('bad_content', `block ${node.cid} claims a file of ${claims}`)
  }
  return { data, size, children: node.linkCount === 0 ? undefined : { node, sizes: blockSizes } }
}

/**
 * Opens a block as the part of a file that its parent claims to have `size` bytes.
 * @throws IpfsError `bad_content` if it holds another number of bytes, or is no part of a file
 */
export function openFilePart(cid: CID, bytes: Uint8Array, size: bigint): FileNode {
  const node = openPart(cid, bytes)
  if (node.size === size) return node
  throw new IpfsError('bad_content', `block ${cid} holds ${node.size} bytes of a file, where its parent claims ${size}`)
}

function openPart(cid: CID, bytes: Uint8Array): FileNode {
  try {
    return openFileBlock(cid, bytes)
  } catch (cause) {
    if (!(cause instanceof IpfsError) || cause.code === 'bad_content') throw cause
    throw new IpfsError('bad_content', `block ${cid} is part of a file, and holds none: ${cause.message}`, { cause })
  }
}

function leaf(data: Uint8Array): FileNode {
  return { data, size: BigInt(data.length), children: undefined }
}
