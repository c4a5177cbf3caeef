import { base32upper } from 'multiformats/bases/base32'
import type { CID } from 'multiformats/cid'
import { decode as decodeDigest } from 'multiformats/hashes/digest'

const extension = '.data'

/**
 * Where a block lies: named by its multihash, in a folder of the last two characters, which are the ones that differ. The
 * layout is that of `blockstore-fs` (Helia), so that either can take over the folder of the other.
 */
export function blockPath({ multihash }: CID): { readonly folder: string; readonly file: string } {
  const name = base32upper.encoder.encode(multihash.bytes)
  return { folder: name.slice(-2), file: name + extension }
}

/** The multihash that a file is named by; undefined: the file is no block. */
export function multihashOf(file: string): Uint8Array | undefined {
  if (!file.endsWith(extension)) return undefined
  try {
    return decodeDigest(base32upper.decoder.decode(file.slice(0, -extension.length))).bytes
  } catch {
    return undefined
  }
}
