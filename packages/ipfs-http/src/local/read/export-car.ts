import * as dagCbor from '@ipld/dag-cbor'
import type { CID } from 'multiformats/cid'
import { varint } from 'multiformats'
import type { ByteStream } from '../../backend.ts'
import type { BlockSource } from '../../unixfs/block-source.ts'
import { linksOf } from './link-stack.ts'
import { loadBlock } from '../../unixfs/load-block.ts'
import { walkInOrder } from './walk-dag.ts'

/**
 * Writes the blocks below `cid` as a CARv1: depth first, in the order of links, each once. Includes the content of identity
 * CIDs, as Kubo does. The first block is read before this resolves. Memory: at most 43 bytes for each block that was sent.
 *
 * @throws IpfsError `not_found`, `bad_content`, `unsupported` (a codec whose links are unknown), `too_large`, `aborted`
 */
export async function exportCar(source: BlockSource, cid: CID, signal: AbortSignal): Promise<ByteStream> {
  linksOf(cid, await loadBlock(source, cid, signal))
  return sections(source, cid, signal)
}

async function* sections(source: BlockSource, root: CID, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const header = dagCbor.encode({ version: 1, roots: [root] })
  yield Buffer.concat([lengthOf(header.length), header])
  for await (const { cid, bytes } of walkInOrder(source, root, signal)) {
    yield Buffer.concat([lengthOf(cid.bytes.length + bytes.length), cid.bytes])
    yield bytes
  }
}

function lengthOf(length: number): Uint8Array {
  return varint.encodeTo(length, new Uint8Array(varint.encodingLength(length)))
}
