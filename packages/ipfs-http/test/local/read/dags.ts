import { createHash } from 'node:crypto'
import { encode as encodeCbor } from '@ipld/dag-cbor'
import { encode as encodePb, type PBLink } from '@ipld/dag-pb'
import { importer, type ImporterOptions } from 'ipfs-unixfs-importer'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import type { BlockSink, BlockSource } from '../../../src/unixfs/block-source.ts'
import { IpfsError } from '../../../src/error.ts'

/** A store in memory that tells what was read of it. */
export interface MemoryBlocks extends BlockSource, BlockSink {
  readonly blocks: Map<string, Uint8Array>
  /** CIDs in the order in which they were read. */
  readonly gets: string[]
}

/** Blocks by their multihash, as Kubo keeps them. */
export function memoryBlocks(): MemoryBlocks {
  const blocks = new Map<string, Uint8Array>()
  const gets: string[] = []
  const keyOf = (cid: CID): string => Buffer.from(cid.multihash.bytes).toString('hex')
  return {
    blocks,
    gets,
    async get(cid, signal) {
      signal.throwIfAborted()
      gets.push(cid.toString())
      const bytes = blocks.get(keyOf(cid))
      if (bytes === undefined) throw new IpfsError('not_found', `ipld: could not find ${cid}`)
      return bytes
    },
    has: async (cid) => blocks.has(keyOf(cid)),
    put: async (cid, bytes) => void blocks.set(keyOf(cid), new Uint8Array(bytes)),
  }
}

/** A signal that never aborts. */
export const never: AbortSignal = new AbortController().signal

export const codes = { raw: 0x55, pb: 0x70, cbor: 0x71, json: 0x0129 } as const

export function cidOf(bytes: Uint8Array, code: number = codes.raw, version: 0 | 1 = 1): CID {
  const digest = Digest.create(0x12, createHash('sha256').update(bytes).digest())
  return CID.create(version, code, digest)
}

export function identityOf(bytes: Uint8Array, code: number = codes.raw): CID {
  return CID.createV1(code, Digest.create(0, bytes))
}

export async function putBytes(
  sink: BlockSink,
  bytes: Uint8Array,
  code: number = codes.raw,
  version: 0 | 1 = 1,
): Promise<CID> {
  const cid = cidOf(bytes, code, version)
  await sink.put(cid, bytes)
  return cid
}

/** A dag-pb block of UnixFS made by hand, so that it can lie. */
export async function putFile(
  sink: BlockSink,
  node: {
    readonly links?: readonly (readonly [cid: CID, size: bigint, name?: string])[]
    readonly data?: Uint8Array
    readonly type?: 'file' | 'raw' | 'directory' | 'symlink'
  },
): Promise<CID> {
  const sizes = (node.links ?? []).map(([, size]) => size)
  const data = node.data ?? new Uint8Array(0)
  const fileSize = sizes.reduce((sum, size) => sum + size, BigInt(data.length))
  const Data = Buffer.concat([
    Uint8Array.of(0x08, { raw: 0, directory: 1, file: 2, symlink: 4 }[node.type ?? 'file']),
    Uint8Array.of(0x12, ...varint(BigInt(data.length))),
    data,
    Uint8Array.of(0x18, ...varint(BigInt.asUintN(64, fileSize))),
    ...(node.type === 'directory' ? [] : sizes.map((size) => Uint8Array.of(0x20, ...varint(size)))),
  ])
  const links = (node.links ?? []).map(([Hash, , Name = '']): PBLink => ({ Hash, Name, Tsize: 1 }))
  return await putBytes(sink, encodePb({ Data, Links: links }), codes.pb)
}

export function varint(value: bigint): number[] {
  return value < 128n ? [Number(value)] : [Number(value & 127n) | 128, ...varint(value >> 7n)]
}

/** A block as a CAR has it. */
export function section(cid: CID, bytes: Uint8Array): Buffer {
  return Buffer.concat([Uint8Array.from(varint(BigInt(cid.bytes.length + bytes.length))), cid.bytes, bytes])
}

/** A CARv1. */
export function carOf(roots: readonly CID[], blocks: readonly (readonly [CID, Uint8Array])[]): Buffer {
  const header = encodeCbor({ version: 1, roots })
  return Buffer.concat([Uint8Array.of(header.length), header, ...blocks.map(([cid, bytes]) => section(cid, bytes))])
}

/** The entries of an upload as blocks; the last one is the root. */
export async function importAll(
  sink: BlockSink,
  entries: Parameters<typeof importer>[0],
  options: ImporterOptions = {},
): Promise<CID> {
  let root: CID | undefined
  const store = {
    put: async (cid: CID, bytes: Uint8Array) => {
      await sink.put(cid, bytes)
      return cid
    },
  }
  for await (const { cid } of importer(entries, store as never, options)) root = cid
  if (root === undefined) throw new Error('nothing was imported')
  return root
}

export async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await all(stream))
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

/** Bytes that look random and are the same in each run. */
export function noise(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length)
  let state = seed >>> 0 || 1
  for (let at = 0; at < length; at++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    bytes[at] = state
  }
  return bytes
}
