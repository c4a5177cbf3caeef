import * as dagCbor from '@ipld/dag-cbor'
import { CID } from 'multiformats/cid'
import { abortable } from '../../abortable.ts'
import type { ByteStream } from '../../backend.ts'
import { IpfsError } from '../../error.ts'
import type { BlockSink } from '../../unixfs/block-source.ts'
import { type CarCaps, type CarReader, createCarReader } from '../../unixfs/car-reader.ts'
import { isIdentity } from '../../unixfs/identity.ts'
import { verifyBlock } from '../../unixfs/multihash.ts'
import { mostBlockBytes } from '../../unixfs/put-block.ts'

/** An event of an import: its progress, and at the end each root that the archive names. */
export type CarEvent =
  | { readonly type: 'progress'; readonly blocks: number; readonly bytes: bigint }
  | { readonly type: 'root'; readonly cid: CID }

/** The caps of archives that are imported or fetched. */
export const localCarCaps: CarCaps = {
  headerBytes: 2 ** 20,
  blockBytes: mostBlockBytes,
  cidBytes: 256,
  invalid: (reason, cause) => new IpfsError('bad_content', reason, { cause }),
  truncated: (what) => new IpfsError('bad_content', `the archive ends within ${what}`),
}

/** Blocks that are written at a time, and their bytes: small ones share the syncs of the disk. */
const writesAtOnce = 32
const mostBytesAtOnce = 8 * 2 ** 20
/** Blocks between two events. */
const blocksPerEvent = 64

/**
 * Keeps the blocks of a CARv1 or CARv2. The bytes of each are checked against its CID before they are kept. The roots come
 * when all blocks are kept, and need not be among them. The index behind the blocks of a CARv2 is not read.
 *
 * @throws IpfsError `bad_content` (no CAR, truncated, a block that does not match), `too_large`, `unsupported`, `aborted`
 */
export async function* importCar(car: ByteStream, sink: BlockSink, signal: AbortSignal): AsyncGenerator<CarEvent> {
  const reader = createCarReader(abortable(car, signal), localCarCaps)
  const writing = new Set<Promise<void>>()
  const failures: unknown[] = []
  let bytesWriting = 0
  const isBusy = (): boolean => writing.size >= writesAtOnce || bytesWriting > mostBytesAtOnce
  try {
    const { roots, end } = await readHeader(reader)
    let blocks = 0
    let bytes = 0n
    for (;;) {
      const block = await reader.section(end)
      if (failures.length > 0) throw failures[0]
      if (block === undefined) break
      await verifyBlock(block.cid, block.bytes)
      blocks++
      bytes += BigInt(block.bytes.length)
      if (!isIdentity(block.cid)) {
        const { length } = block.bytes
        bytesWriting += length
        const write = sink
          .put(block.cid, block.bytes)
          .catch((thrown: unknown) => void failures.push(thrown))
          .finally(() => {
            writing.delete(write)
            bytesWriting -= length
          })
        writing.add(write)
        while (isBusy()) await Promise.race(writing)
      }
      if (blocks % blocksPerEvent === 0) yield { type: 'progress', blocks, bytes }
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

/**
 * Reads what comes before the blocks. `end` is the position at which the blocks end; undefined where that is the end of the
 * stream.
 * @throws IpfsError `bad_content`, `too_large`
 */
export async function readHeader(
  reader: CarReader,
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
  reader: CarReader,
): Promise<{ readonly version: 1; readonly roots: readonly CID[] } | { readonly version: 2 }> {
  const bytes = await reader.header()
  if (bytes === undefined || bytes.length === 0) throw new IpfsError('bad_content', 'expected a CAR, came nothing')
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
