import * as dagCbor from '@ipld/dag-cbor'
import { CID } from 'multiformats/cid'
import type { ByteStream } from '../../backend.ts'
import { IpfsError } from '../../error.ts'
import { abortable } from '../../abortable.ts'
import type { BlockSink } from '../../unixfs/block-source.ts'
import { type ByteReader, createByteReader } from './byte-reader.ts'
import { isIdentity } from '../../unixfs/identity.ts'
import { verifyBlock } from '../../unixfs/multihash.ts'

/** What an import tells: how far it is, and at its end the roots that the archive names. */
export type CarEvent =
  | { readonly type: 'progress'; readonly blocks: number; readonly bytes: bigint }
  | { readonly type: 'root'; readonly cid: CID }

/** Longest block in bytes that is taken in, as in Kubo. */
export const mostBlockBytes: number = 2 * 2 ** 20

const mostHeader = 2 ** 20
/** A CID that holds more than a hash (identity) may be a little longer. */
const mostCid = 256
/** Blocks that are written at a time, and between two events. */
const writesAtOnce = 4
const blocksPerEvent = 64

/**
 * Keeps the blocks of a CARv1 or CARv2. The bytes of each are checked against its CID before they are kept; roots come
 * when all blocks are kept, and need not be among them. What a CARv2 holds behind its blocks (an index) is not read.
 *
 * @throws IpfsError `bad_content` (no CAR, truncated, a block that does not match), `too_large`, `unsupported`, `aborted`
 */
export async function* importCar(car: ByteStream, sink: BlockSink, signal: AbortSignal): AsyncGenerator<CarEvent> {
  const reader = createByteReader(abortable(car, signal))
  const writing = new Set<Promise<void>>()
  const failures: unknown[] = []
  try {
    const { roots, end } = await readHeader(reader)
    let blocks = 0
    let bytes = 0n
    for (;;) {
      const block = await readSection(reader, end)
      if (failures.length > 0) throw failures[0]
      if (block === undefined) break
      await verifyBlock(block.cid, block.bytes)
      blocks++
      bytes += BigInt(block.bytes.length)
      if (!isIdentity(block.cid)) {
        const write = sink
          .put(block.cid, block.bytes)
          .catch((thrown: unknown) => void failures.push(thrown))
          .finally(() => writing.delete(write))
        writing.add(write)
        if (writing.size === writesAtOnce) await Promise.race(writing)
      }
      if (blocks % blocksPerEvent === 0) {
        await Promise.all(writing)
        yield { type: 'progress', blocks, bytes }
      }
    }
    await Promise.all(writing)
    if (failures.length > 0) throw failures[0]
    yield { type: 'progress', blocks, bytes }
    for (const cid of roots) yield { type: 'root', cid }
  } finally {
    await Promise.all(writing)
    await reader.close()
  }
}

/** What stands before the blocks. `end`: where those end; undefined: with the stream. @throws IpfsError `bad_content`, `too_large` */
export async function readHeader(
  reader: ByteReader,
): Promise<{ readonly roots: readonly CID[]; readonly end?: bigint }> {
  const first = await readVersion(reader)
  if (first.version === 1) return { roots: first.roots }
  const sizes = await reader.take(40, 'the header of a CARv2')
  const view = new DataView(sizes.buffer, sizes.byteOffset)
  const [start, length] = [view.getBigUint64(16, true), view.getBigUint64(24, true)]
  if (start < reader.position) throw new IpfsError('bad_content', 'the blocks of this CARv2 begin within its header')
  await reader.skip(start - reader.position, 'the padding of a CARv2')
  const inner = await readVersion(reader)
  if (inner.version !== 1) throw new IpfsError('bad_content', 'expected a CARv1 inside the CARv2')
  return { roots: inner.roots, end: start + length }
}

async function readVersion(
  reader: ByteReader,
): Promise<{ readonly version: 1; readonly roots: readonly CID[] } | { readonly version: 2 }> {
  const length = await reader.varint('its header')
  if (length === undefined || length === 0) throw new IpfsError('bad_content', 'expected a CAR, came nothing')
  if (length > mostHeader) {
    throw new IpfsError('too_large', `expected a CAR whose header has at most ${mostHeader} bytes, came ${length}`)
  }
  const bytes = await reader.take(length, 'its header')
  let header: { readonly version?: unknown; readonly roots?: unknown } | null
  try {
    header = dagCbor.decode(bytes)
  } catch (cause) {
    throw new IpfsError('bad_content', 'expected a CAR: its header is no dag-cbor', { cause })
  }
  if (header?.version === 2) return { version: 2 }
  const roots = header?.roots
  if (header?.version !== 1 || !Array.isArray(roots) || !roots.every((root) => CID.asCID(root) !== null)) {
    throw new IpfsError('bad_content', 'expected a CAR of version 1 or 2 with its roots')
  }
  return { version: 1, roots }
}

/** A block as an archive holds it, unchecked. */
export interface Section {
  readonly cid: CID
  readonly bytes: Uint8Array
}

/** The next block; undefined: that was the last. @throws IpfsError `bad_content`, `too_large` */
export async function readSection(reader: ByteReader, end: bigint | undefined): Promise<Section | undefined> {
  if (end !== undefined && reader.position >= end) {
    if (reader.position > end) throw new IpfsError('bad_content', 'a block of this CARv2 goes beyond their end')
    return undefined
  }
  const length = await reader.varint('the length of a block')
  if (length === undefined) {
    if (end !== undefined) throw new IpfsError('bad_content', 'the archive ends before its last block')
    return undefined
  }
  if (length > mostBlockBytes + mostCid) {
    throw new IpfsError('too_large', `expected blocks of at most ${mostBlockBytes} bytes, came one of ${length}`)
  }
  const section = await reader.take(length, 'a block')
  const cid = readCid(section)
  const bytes = section.subarray(cid.bytes.length)
  if (bytes.length > mostBlockBytes) {
    throw new IpfsError(
      'too_large',
      `expected blocks of at most ${mostBlockBytes} bytes, came ${cid} of ${bytes.length}`,
    )
  }
  return { cid, bytes }
}

function readCid(section: Uint8Array): CID {
  try {
    // Sizes first: what claims a digest of gigabytes is refused by its claim.
    if (CID.inspectBytes(section.subarray(0, mostCid)).size > mostCid) throw new RangeError('its CID is too long')
    return CID.decodeFirst(section)[0]
  } catch (cause) {
    throw new IpfsError('bad_content', `a block of the archive has no CID: ${(cause as Error).message}`, { cause })
  }
}
