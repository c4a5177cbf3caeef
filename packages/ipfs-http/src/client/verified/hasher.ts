import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { codecCodes } from '../../codec-codes.ts'
import type { BlockWriter } from '../../unixfs/add-blocks.ts'
import { createBufferPool } from '../../unixfs/buffer-pool.ts'

/** Computes the CID of a block by sha2-256. `version`: that of blocks of dag-pb. */
export async function cidOfBlock(bytes: Uint8Array, codec: 'raw' | 'dag-pb', version: 0 | 1): Promise<CID> {
  const digest = await sha256.digest(bytes)
  return codec === 'raw' ? CID.createV1(codecCodes.raw, digest) : CID.create(version, codecCodes.dagPb, digest)
}

/** Makes a writer that computes CIDs, and keeps no block. */
export function createHasher(version: 0 | 1): BlockWriter {
  const pool = createBufferPool()
  return {
    pool,
    async write(bytes, codec) {
      const cid = await cidOfBlock(bytes, codec, version)
      pool.release(bytes)
      return cid
    },
    async settle() {},
  }
}
