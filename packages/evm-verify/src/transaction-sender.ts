import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Address, Transaction } from '@wayleave/evm-types'
import { hexFromBytes } from './bytes.ts'
import { VerifyError } from './error.ts'
import { signingPayload } from './transaction-payload.ts'
import { type TransactionSignature, transactionSignature } from './transaction-signature.ts'
import { transactionType } from './transaction-type.ts'

/**
 * The account that signed a transaction of types 0 to 4, in lower case; `from` itself is not looked at.
 * `s` must be of the lower half (EIP-2), except where `v` binds to no chain: blocks before Homestead hold such.
 * @throws VerifyError
 */
export function transactionSender(tx: Transaction): Address {
  const type = transactionType(tx)
  const signature = transactionSignature(tx, type)
  const key = recover(signature, keccak_256(signingPayload(tx)), type === 0 && signature.chainId === undefined)
  return hexFromBytes(keccak_256(key.subarray(1)).subarray(12))
}

/** The uncompressed public key: a byte of form and 64 of the point. */
function recover({ r, s, yParity }: TransactionSignature, hash: Uint8Array, mayBeHigh: boolean): Uint8Array {
  const order = secp256k1.Point.Fn.ORDER
  if (!isBelow(s, mayBeHigh ? order : order / 2n + 1n)) throw invalid('s', 'a number of the range that signatures have')
  if (!isBelow(r, order)) throw invalid('r', 'a number of the range that signatures have')
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
