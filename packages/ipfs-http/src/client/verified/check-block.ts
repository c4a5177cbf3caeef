import type { CID } from 'multiformats/cid'
import { sha256, sha512 } from 'multiformats/hashes/sha2'
import { IpfsError } from '../../error.ts'
import { compareBytes } from '../../compare-bytes.ts'

/** The longest block that is read, in bytes: hosts pass blocks of up to 2 MiB to each other. */
export const mostBlockBytes: number = 1 << 22

const identity = 0x00
const hashes = [sha256, sha512]

/** Whether a CID can be checked here: it has sha2-256 or sha2-512, or holds the content itself. */
export function isCheckable({ multihash: { code, digest } }: CID): boolean {
  return code === identity || (hashes.some((each) => each.code === code) && digest.byteLength >= 32)
}

/** Returns the content that an identity CID holds; undefined for other CIDs. */
export function inlineBlock({ multihash }: CID): Uint8Array | undefined {
  return multihash.code === identity ? multihash.digest : undefined
}

/** Checks bytes against a CID. @throws IpfsError `mismatch`, `unverified` if the CID cannot be checked here */
export async function checkBlock(cid: CID, bytes: Uint8Array): Promise<void> {
  const { code, digest } = cid.multihash
  const hash = hashes.find((each) => each.code === code)
  if (!isCheckable(cid)) throw new IpfsError('unverified', `expected a CID of sha2-256 or sha2-512 to check: ${cid}`)
  // A digest may have been cut.
  const real = hash === undefined ? bytes : (await hash.digest(bytes)).digest.subarray(0, digest.byteLength)
  if (compareBytes(real, digest) !== 0) {
    throw new IpfsError('mismatch', `the host sent bytes that are not those of block ${cid}`)
  }
}
