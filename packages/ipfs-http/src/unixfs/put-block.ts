import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { codecCodes } from '../codecs.ts'
import { IpfsError } from '../error.ts'
import type { BlockSink } from './block-source.ts'
import { isIdentity, requireIdentity } from './identity.ts'
import { digestOf, loadHash } from './multihash.ts'

/** The longest block that is taken in, in bytes. Source: Kubo `core/commands/cmdutils/utils.go`. */
export const mostBlockBytes: number = 2 * 2 ** 20

/** Hash functions by their names in the multicodec table. */
const hashCodes: ReadonlyMap<string, number> = new Map([
  ['identity', 0x00],
  ['sha1', 0x11],
  ['sha2-256', 0x12],
  ['sha2-512', 0x13],
  ['sha3-512', 0x14],
  ['sha3-384', 0x15],
  ['sha3-256', 0x16],
  ['sha3-224', 0x17],
  ['shake-128', 0x18],
  ['shake-256', 0x19],
  ['keccak-224', 0x1a],
  ['keccak-256', 0x1b],
  ['keccak-384', 0x1c],
  ['keccak-512', 0x1d],
  ['blake3', 0x1e],
  ['sha2-384', 0x20],
  ['dbl-sha2-256', 0x56],
  // For shorter digests, another content can be found.
  ...Array.from({ length: 45 }, (_, more) => [`blake2b-${160 + 8 * more}`, 0xb214 + more] as const),
  ...Array.from({ length: 13 }, (_, more) => [`blake2s-${160 + 8 * more}`, 0xb254 + more] as const),
])

const codecs: ReadonlyMap<string, number> = new Map([
  ['raw', codecCodes.raw],
  ['dag-pb', codecCodes.dagPb],
  ['dag-cbor', codecCodes.dagCbor],
  ['dag-jose', codecCodes.dagJose],
  ['dag-json', codecCodes.dagJson],
  ['cbor', codecCodes.cbor],
  ['json', codecCodes.json],
  // Kubo's older names.
  ['protobuf', codecCodes.dagPb],
  ['v0', codecCodes.dagPb],
])

const sha2256 = 0x12

/** Finds the multicodec of a hash by its name (`sha2-256`). @throws IpfsError `bad_argument` */
export function hashCodeOf(name: string): number {
  const code = hashCodes.get(name)
  if (code !== undefined) return code
  const known = [...hashCodes.keys()].filter((each) => !each.startsWith('blake2')).join(', ')
  throw new IpfsError(
    'bad_argument',
    `expected the hash to be one of ${known}, blake2b-160 to blake2b-512, blake2s-160 to blake2s-256, came ${name}`,
  )
}

/**
 * Computes the CID of a block, and keeps the block. A CIDv0 can only be of dag-pb and sha2-256.
 * @throws IpfsError `bad_argument`, `too_large`, `storage`
 */
export async function putBlock(
  bytes: Uint8Array,
  options: { readonly version: 0 | 1; readonly codec: string; readonly hash: string },
  sink: BlockSink,
): Promise<CID> {
  const { version, codec } = options
  const hash = hashCodeOf(options.hash)
  const code = codecs.get(codec)
  if (code === undefined) {
    throw new IpfsError(
      'bad_argument',
      `expected the codec to be one of ${[...codecs.keys()].join(', ')}, came ${codec}`,
    )
  }
  if (version === 0 && (code !== codecCodes.dagPb || hash !== sha2256)) {
    throw new IpfsError('bad_argument', `expected dag-pb and sha2-256 of a CIDv0, came ${codec} and ${options.hash}`)
  }
  requireSize(bytes.length)
  await loadHash(hash)
  const cid = CID.create(version, code, createDigest(hash, digestOf(hash, bytes)))
  if (isIdentity(cid)) requireIdentity(bytes.length)
  await sink.put(cid, bytes)
  return cid
}

/** The length of the digests of a hash, by its name, in bytes; that of `bytes` for `identity`. @throws IpfsError `bad_argument` */
export async function hashLengthOf(name: string, bytes: Uint8Array): Promise<number> {
  const code = hashCodeOf(name)
  await loadHash(code)
  return digestOf(code, bytes).length
}

/** Checks the length of a block. @throws IpfsError `too_large` */
export function requireSize(length: number): void {
  if (length <= mostBlockBytes) return
  throw new IpfsError('too_large', `expected a block of at most ${mostBlockBytes} bytes, came ${length}`)
}
