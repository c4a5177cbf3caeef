import type { CID } from 'multiformats/cid'
import { sha256, sha512 } from 'multiformats/hashes/sha2'
import { IpfsError } from '../../error.ts'

/** The codecs that the walks of this folder read; of the multicodec table. */
export const rawCodec = 0x55
export const dagPbCodec = 0x70

const identity = 0x00
const hashes = [sha256, sha512]

/** Whether a CID is one that can be checked here: sha2-256, sha2-512 or the content itself. */
export function isCheckable({ multihash: { code, digest } }: CID): boolean {
  return code === identity || (hashes.some((each) => each.code === code) && digest.byteLength >= 32)
}

/** The block that a CID carries in itself. */
export function inlineBlock({ multihash }: CID): Uint8Array | undefined {
  return multihash.code === identity ? multihash.digest : undefined
}

/** @throws IpfsError `mismatch`, `unverified` where the hash is none of those above */
export async function checkBlock(cid: CID, bytes: Uint8Array): Promise<void> {
  const hash = hashes.find(({ code }) => code === cid.multihash.code)
  if (hash === undefined) throw new IpfsError('unverified', `expected a CID of sha2-256 or sha2-512 to check: ${cid}`)
  const { digest } = await hash.digest(bytes)
  if (!sameBytes(digest, cid.multihash.digest)) {
    throw new IpfsError('mismatch', `the host sent bytes that are not those of block ${cid}`)
  }
}

/** Whether both hold the same. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.byteLength === other.byteLength && one.every((byte, at) => byte === other[at])
}
