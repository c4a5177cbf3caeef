import type { Address, Transaction } from '@wayleave/evm-types'
import { keccak } from './keccak.ts'
import { recoverAddress } from './recover-address.ts'
import { signingPayload, type TransactionContents, transactionContents } from './transaction-payload.ts'
import { transactionSignature } from './transaction-signature.ts'

/**
 * The account that signed a transaction of types 0 to 4, in lower case; ignores `from` itself. `s` must be in the lower
 * half (EIP-2), unless `v` binds to no chain: blocks before Homestead hold such transactions.
 * @throws VerifyError
 */
export function transactionSender(tx: Transaction): Address {
  return senderOf(tx, transactionContents(tx))
}

/** {@link transactionSender} of contents that were already read. @throws VerifyError */
export function senderOf(tx: Transaction, contents: TransactionContents): Address {
  const signature = transactionSignature(tx, contents.type)
  const mayBeHigh = contents.type === 0 && signature.chainId === undefined
  return recoverAddress(signature, keccak(signingPayload(contents, signature)), mayBeHigh)
}
