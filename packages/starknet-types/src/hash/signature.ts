import { getStarkKey, Point, sign as signHash } from '@scure/starknet'
import { SchemaError } from '@wayleave/jsonrpc-core/schema'
import { type Felt, printFelt } from '../felt.ts'
import { hexBelow } from '../hex.ts'
import { felt, number } from './numbers.ts'

const hashSchema = /*#__PURE__*/ hexBelow(
  'a hash below 2^251',
  0x800000000000000000000000000000000000000000000000000000000000000n,
)
const curveOrder = 0x800000000000010ffffffffffffffffb781126dcae7b2321e66a241adc64d2fn
const scalarSchema = /*#__PURE__*/ hexBelow('a number below the order of the STARK curve', curveOrder)

export interface SignatureToVerify {
  /** The number that was signed, such as a transaction's hash: below 2^251. */
  readonly hash: string
  /** The public key of the account: the x-coordinate of its point. */
  readonly publicKey: string
  /** `r` and `s`, from 1 on and below the order of the curve. */
  readonly signature: readonly string[]
}

/**
 * Whether a signature of the STARK curve is the key's for the hash, as accounts check it with Cairo's `check_ecdsa_signature`: either
 * point of the key's x-coordinate counts. False for what is malformed or out of range, too; it never throws. Our own equation on the
 * library's points: its `verify` is 4 kB more, and knows one point of a key.
 */
export function verifySignature(given: SignatureToVerify): boolean {
  try {
    const { hash, publicKey, signature } = given
    const z = number(hash, hashSchema, 'hash')
    const r = number(signature[0], scalarSchema, 'r')
    const w = Point.Fn.inv(number(signature[1], scalarSchema, 's'))
    // Without this, r = 0 would be anybody's signature of the hash 0: the point at infinity has an x of 0.
    if (r === 0n || signature.length !== 2) return false
    const key = Point.fromHex(`02${felt(publicKey, 'publicKey').toString(16).padStart(64, '0')}`)
    const ofHash = Point.BASE.multiplyUnsafe(Point.Fn.mul(z, w))
    const ofKey = key.multiplyUnsafe(Point.Fn.mul(r, w))
    return [ofHash.add(ofKey), ofHash.subtract(ofKey)].some((point) => point.x === r)
  } catch {
    return false
  }
}

/**
 * The signature `[r, s]` of a hash (below 2^251) with a private key (from 1 on, below the order of the curve), the same each time
 * (RFC 6979). Not for a place where the time it takes could tell of the key.
 * @throws SchemaError for what is out of range, without the key
 */
export function sign(hash: string, privateKey: string): [r: Felt, s: Felt] {
  const key = privateKeyHex(privateKey)
  const { r, s } = signHash(printFelt(number(hash, hashSchema, 'hash')), key)
  return [printFelt(r), printFelt(s)]
}

/** The public key of a private key, a felt: the x-coordinate of its point. @throws SchemaError for what is no private key, without it */
export function publicKeyOf(privateKey: string): Felt {
  return printFelt(BigInt(getStarkKey(privateKeyHex(privateKey))))
}

/** Checked here, because a message of the libraries below could quote the key. */
function privateKeyHex(privateKey: string): string {
  if (typeof privateKey === 'string' && /^0x[0-9a-f]{1,64}$/i.test(privateKey)) {
    const scalar = BigInt(privateKey)
    if (scalar > 0n && scalar < curveOrder) return scalar.toString(16)
  }
  throw new SchemaError('private key', {
    path: '',
    expected: '0x and hex digits, from 1 on and below the order of the STARK curve',
    received: 'something else',
  })
}
