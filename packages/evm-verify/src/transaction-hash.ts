import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Hash, Transaction } from '@wayleave/evm-types'
import { hexFromBytes } from './bytes.ts'
import { signedPayload, signingPayload } from './transaction-payload.ts'

/**
 * The hash that a transaction of types 0 to 4 is known by, from its contents; `hash` itself is not looked at.
 * @throws VerifyError
 */
export function transactionHash(tx: Transaction): Hash {
  return hexFromBytes(keccak_256(signedPayload(tx)))
}

/** The hash that the sender of a transaction of types 0 to 4 signed. @throws VerifyError */
export function signingHash(tx: Transaction): Hash {
  return hexFromBytes(keccak_256(signingPayload(tx)))
}
