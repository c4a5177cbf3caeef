import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { Address } from '@wayleave/evm-types'
import { hexFromBytes } from './bytes.ts'
import { VerifyError } from './error.ts'
import { keccak } from './keccak.ts'

/** An ECDSA signature over secp256k1, with the parity that identifies its key. */
export interface RecoverableSignature {
  readonly r: bigint
  readonly s: bigint
  /** The parity of `y` of the point whose `x` is `r`: 1 if odd. */
  readonly yParity: 0 | 1
}

/** Addresses kept for another time: those of some twenty blocks, about 2 MB. */
const mostRecovered = 4_096
/** The last addresses, by all that decides them. A recovery takes a millisecond, and a block's transactions are checked with its receipts again. */
const recovered = new Map<string, Address>()

const { ORDER: order } = secp256k1.Point.Fn
const upperHalf = order / 2n + 1n

/**
 * The account whose key signed a 32-byte hash, in lower case. `s` must be in the lower half of its range (EIP-2), unless
 * `mayBeHigh`. Source: SEC 1, section 4.1.6. @throws VerifyError `invalid_signature`
 */
export function recoverAddress(signature: RecoverableSignature, hash: Uint8Array, mayBeHigh: boolean): Address {
  const { r, s, yParity } = signature
  if (!isBelow(s, mayBeHigh ? order : upperHalf)) throw invalid('s', 'a number of the range that signatures have')
  if (!isBelow(r, order)) throw invalid('r', 'a number of the range that signatures have')
  const name = `${hexFromBytes(hash)} ${r.toString(36)} ${s.toString(36)} ${yParity}`
  let address = recovered.get(name)
  if (address !== undefined) return address
  address = hexFromBytes(keccak(publicKey(r, s, yParity, hash).subarray(1)).subarray(12))
  if (recovered.size >= mostRecovered) recovered.delete(recovered.keys().next().value!)
  recovered.set(name, address)
  return address
}

/** The uncompressed key: a byte of form and 64 bytes of the point. */
function publicKey(r: bigint, s: bigint, yParity: 0 | 1, hash: Uint8Array): Uint8Array {
  try {
    return new secp256k1.Signature(r, s, yParity).recoverPublicKey(hash).toBytes(false)
  } catch {
    throw invalid('r', 'a point of the curve')
  }
}

function isBelow(value: bigint, end: bigint): boolean {
  return value > 0n && value < end
}

function invalid(field: string, expected: string): VerifyError {
  return new VerifyError('invalid_signature', field, `${field}: expected ${expected}`)
}
