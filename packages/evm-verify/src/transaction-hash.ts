import type { Hash, Transaction } from '@wayleave/evm-types'
import { hexFromBytes } from './bytes.ts'
import { keccak } from './keccak.ts'
import { signedPayload, signingPayload, transactionContents } from './transaction-payload.ts'
import { transactionSignature } from './transaction-signature.ts'

/**
 * The hash of a transaction of types 0 to 4 or `0x7e`, computed from its contents; ignores `hash` itself.
 * @throws VerifyError
 */
export function transactionHash(tx: Transaction): Hash {
  return hexFromBytes(keccak(signedPayload(tx)))
}

/** The hash that the sender of a transaction of types 0 to 4 signed. @throws VerifyError */
export function signingHash(tx: Transaction): Hash {
  const contents = transactionContents(tx)
  return hexFromBytes(keccak(signingPayload(contents, transactionSignature(tx, contents.type))))
}
