import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import type { Compression } from '../compression.ts'

/** Creates the compression by the zstd of Node, on its threads; undefined for a Node without it: before 22.15. */
export function createZstd(): Compression | undefined {
  // Older releases have no such export, and a named import would fail there.
  const { zstdCompress, zstdDecompress } = zlib as Partial<typeof zlib>
  if (zstdCompress === undefined || zstdDecompress === undefined) return undefined
  const compress = promisify<Uint8Array, Uint8Array>(zstdCompress)
  const decompress = promisify<Uint8Array, zlib.ZstdOptions, Uint8Array>(zstdDecompress)
  return {
    compress,
    decompress: (bytes, byteLength) => decompress(bytes, { maxOutputLength: Math.max(1, byteLength) }),
  }
}
