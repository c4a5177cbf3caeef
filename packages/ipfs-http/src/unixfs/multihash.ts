import { createHash } from 'node:crypto'
import type { CID } from 'multiformats/cid'
import { IpfsError } from '../error.ts'
import { identityBytes } from './identity.ts'

/** Computes the digest of `bytes`. `length` is its length in bytes, for functions of variable length. */
type Hash = (bytes: Uint8Array, length: number) => Uint8Array

const node =
  (name: string): Hash =>
  (bytes) =>
    createHash(name).update(bytes).digest()
const nodeXof =
  (name: string, usual: number): Hash =>
  (bytes, length) =>
    createHash(name, { outputLength: Math.max(usual, length) })
      .update(bytes)
      .digest()

/** The hash functions by their codes in the multicodec table. */
const hashes = new Map<number, Hash>([
  [0x00, (bytes) => bytes],
  [0x11, node('sha1')],
  [0x12, node('sha256')],
  [0x13, node('sha512')],
  [0x14, node('sha3-512')],
  [0x15, node('sha3-384')],
  [0x16, node('sha3-256')],
  [0x17, node('sha3-224')],
  [0x18, nodeXof('shake128', 32)],
  [0x19, nodeXof('shake256', 64)],
  [0x20, node('sha384')],
  [0x56, (bytes) => digestOf(0x12, digestOf(0x12, bytes))],
  [0x1013, node('sha224')],
  [0x1014, node('sha512-224')],
  [0x1015, node('sha512-256')],
  [0xb240, node('blake2b512')],
  [0xb260, node('blake2s256')],
])

/** Functions that Node lacks. A group is loaded when one of its functions is asked for. */
const others: readonly { readonly from: number; readonly to: number; readonly load: () => Promise<readonly Hash[]> }[] =
  [
    {
      from: 0x1a,
      to: 0x1d,
      load: async () => {
        const { keccak_224, keccak_256, keccak_384, keccak_512 } = await import('@noble/hashes/sha3.js')
        return [keccak_224, keccak_256, keccak_384, keccak_512].map((hash) => (bytes) => hash(bytes))
      },
    },
    {
      from: 0x1e,
      to: 0x1e,
      load: async () => {
        const { blake3 } = await import('@noble/hashes/blake3.js')
        return [(bytes, length) => blake3(bytes, { dkLen: Math.max(32, length) })]
      },
    },
    {
      from: 0xb201,
      to: 0xb23f,
      load: async () => {
        const { blake2b } = await import('@noble/hashes/blake2.js')
        return Array.from({ length: 63 }, (_, at) => (bytes) => blake2b(bytes, { dkLen: at + 1 }))
      },
    },
    {
      from: 0xb241,
      to: 0xb25f,
      load: async () => {
        const { blake2s } = await import('@noble/hashes/blake2.js')
        return Array.from({ length: 31 }, (_, at) => (bytes) => blake2s(bytes, { dkLen: at + 1 }))
      },
    },
  ]

/** Fewest bytes of a digest that was cut: for a shorter one, another content can be found. Source: Kubo. */
const leastDigestBytes = 20
/** Most bytes of a digest: more prove no more. Source: Kubo. */
const mostDigestBytes = 128

/** Makes a hash ready for {@link digestOf}. @throws IpfsError `unsupported` */
export async function loadHash(code: number): Promise<void> {
  if (hashes.has(code)) return
  const group = others.find(({ from, to }) => from <= code && code <= to)
  if (group === undefined) throw unknown(code)
  for (const [at, hash] of (await group.load()).entries()) hashes.set(group.from + at, hash)
}

/**
 * Computes the digest of `bytes` in full length. `least` is the fewest bytes for a function of variable length.
 * @throws IpfsError `unsupported`, also for a hash that {@link loadHash} was not asked for
 */
export function digestOf(code: number, bytes: Uint8Array, least = 0): Uint8Array {
  const hash = hashes.get(code)
  if (hash === undefined) throw unknown(code)
  return hash(bytes, least)
}

/** Checks that a CID can be that of any bytes. @throws IpfsError `bad_content` (a digest too short or too long), `unsupported` */
export async function requireDigest(cid: CID): Promise<void> {
  const { code, digest } = cid.multihash
  await loadHash(code)
  if (code === 0) return void identityBytes(cid)
  const { length } = digest
  const most = length > mostDigestBytes ? 0 : digestOf(code, new Uint8Array(0), length).length
  if (length < leastDigestBytes || length > most) {
    throw new IpfsError('bad_content', `the hash of ${cid} has ${length} bytes: expected ${leastDigestBytes} to all`)
  }
}

/** Checks bytes against a CID. @throws IpfsError `bad_content` (other bytes, or a digest that proves nothing), `unsupported` */
export async function verifyBlock(cid: CID, bytes: Uint8Array): Promise<void> {
  const { code, digest } = cid.multihash
  if (code !== sha256 || digest.length !== 32) await requireDigest(cid)
  const real = digestOf(code, bytes, digest.length)
  const isWhole = code !== 0 || digest.length === real.length
  if (!isWhole || Buffer.compare(real.subarray(0, digest.length), digest) !== 0) {
    throw new IpfsError('bad_content', `the bytes are not those of block ${cid}`)
  }
}

const sha256 = 0x12

function unknown(code: number): IpfsError {
  const known = 'sha1, sha2, sha3, shake, keccak, blake2, blake3'
  return new IpfsError('unsupported', `expected a CID of ${known}, came hash 0x${code.toString(16)}`)
}
