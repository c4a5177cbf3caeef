import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { codecCodes } from '../codecs.ts'
import type { BlockSink } from './block-source.ts'
import type { BuildOptions } from './add-options.ts'
import { requireIdentity } from './identity.ts'
import { requireSize } from './put-block.ts'
import { digestOf } from './multihash.ts'
import { type BufferPool, createBufferPool } from './buffer-pool.ts'

/** Takes the blocks that the builders have built. */
export interface BlockWriter {
  /** Buffers for the chunks of content. `write` releases what it was given by itself. */
  readonly pool?: BufferPool | undefined
  /** Returns the CID at once, and writes later. Waits only while too much is being written. Takes over the bytes. */
  write(bytes: Uint8Array, codec: 'raw' | 'dag-pb'): Promise<CID>
  /** Waits until all blocks that were given to `write` until now are written. */
  settle(): Promise<void>
}

/** Blocks that are written at a time: enough to keep a disk busy while the next one is hashed. More made no difference. */
const mostBlocks = 16
/** Bytes that are written at a time: a few blocks of the largest size. */
const mostBytes = 8 * 1024 * 1024

/**
 * Hashes blocks here, and writes several at once. After the first error, `write` and `settle` throw it. `sink` is undefined
 * if only the CIDs are wanted. It is given no blocks of identity CIDs.
 */
export function createBlockWriter(
  options: Pick<BuildOptions, 'version' | 'hash' | 'inlineLimit'>,
  sink: BlockSink | undefined,
): BlockWriter {
  const pool = createBufferPool()
  const writing = new Set<Promise<void>>()
  let bytesWriting = 0
  let failed: { readonly error: unknown } | undefined

  const throwFailed = (): void => {
    if (failed !== undefined) throw failed.error
  }
  const isBusy = (): boolean => writing.size >= mostBlocks || bytesWriting > mostBytes
  const start = (to: BlockSink, cid: CID, bytes: Uint8Array): void => {
    bytesWriting += bytes.length
    const one = to
      .put(cid, bytes)
      .then(() => pool.release(bytes))
      .catch((error: unknown) => {
        failed ??= { error }
      })
      .finally(() => {
        writing.delete(one)
        bytesWriting -= bytes.length
      })
    writing.add(one)
  }

  return {
    pool,
    async write(bytes, codec) {
      throwFailed()
      requireSize(bytes.length)
      const code = codec === 'raw' ? codecCodes.raw : codecCodes.dagPb
      if (bytes.length <= options.inlineLimit) return CID.createV1(code, createDigest(0, bytes))
      if (options.hash === 0) requireIdentity(bytes.length)
      const digest = createDigest(options.hash, digestOf(options.hash, bytes))
      const cid = CID.create(codec === 'raw' ? 1 : options.version, code, digest)
      if (sink === undefined) pool.release(bytes)
      else {
        start(sink, cid, bytes)
        while (isBusy()) await Promise.race(writing)
      }
      return cid
    },
    async settle() {
      await Promise.all(writing)
      throwFailed()
    },
  }
}
