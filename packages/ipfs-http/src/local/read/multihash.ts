import { createHash } from 'node:crypto'
import type { CID } from 'multiformats/cid'
import { IpfsError } from '../../error.ts'
import { blake2b } from './blake2b.ts'

/** Codes of the multicodec table, by the names that Node gives these functions. */
const nodeHashes: ReadonlyMap<number, string> = new Map([
  [0x11, 'sha1'],
  [0x12, 'sha256'],
  [0x13, 'sha512'],
  [0x14, 'sha3-512'],
  [0x15, 'sha3-384'],
  [0x16, 'sha3-256'],
  [0x17, 'sha3-224'],
  [0x20, 'sha384'],
  [0x1013, 'sha224'],
  [0x1014, 'sha512-224'],
  [0x1015, 'sha512-256'],
  [0xb240, 'blake2b512'],
  [0xb260, 'blake2s256'],
])

const identity = 0x00
const doubleSha256 = 0x56
const blake2b8 = 0xb201
const blake2b504 = 0xb23f

/** A digest that was cut must leave so many bytes, as in Kubo: below, another content for it can be found. */
const leastDigestBytes = 20

/** The digest of `bytes`, in full length. @throws IpfsError `unsupported` */
export function digestOf(code: number, bytes: Uint8Array): Uint8Array {
  const name = nodeHashes.get(code)
  if (name !== undefined) return createHash(name).update(bytes).digest()
  if (code === identity) return bytes
  if (code === doubleSha256) return digestOf(0x12, digestOf(0x12, bytes))
  if (code >= blake2b8 && code <= blake2b504) return blake2b(bytes, code - blake2b8 + 1)
  throw new IpfsError('unsupported', `expected a CID of sha2, sha3, blake2b or sha1, came hash 0x${code.toString(16)}`)
}

/** Whether a CID holds the content itself. */
export function isIdentity(cid: CID): boolean {
  return cid.multihash.code === identity
}

/** @throws IpfsError `bad_content` (bytes that are not those of the CID, a digest too short to tell), `unsupported` */
export function verifyBlock(cid: CID, bytes: Uint8Array): void {
  const { code, digest } = cid.multihash
  const real = digestOf(code, bytes)
  if (code !== identity && digest.length < leastDigestBytes) {
    throw new IpfsError('bad_content', `the hash of ${cid} has ${digest.length} bytes: at least ${leastDigestBytes}`)
  }
  const isWhole = code === identity ? digest.length === real.length : digest.length <= real.length
  if (!isWhole || Buffer.compare(real.subarray(0, digest.length), digest) !== 0) {
    throw new IpfsError('bad_content', `the bytes are not those of block ${cid}`)
  }
}
