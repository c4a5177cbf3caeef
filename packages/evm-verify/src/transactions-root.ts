import type { Hash, Transaction } from '@wayleave/evm-types'
import { hexFromBytes } from './bytes.ts'
import { signedPayload } from './transaction-payload.ts'
import { orderedRoot } from './trie/ordered-root.ts'

/** `transactionsRoot` of a block, from all its transactions in order. @throws VerifyError `unsupported`, `malformed` */
export function transactionsRoot(transactions: readonly Transaction[]): Hash {
  return hexFromBytes(orderedRoot(transactions.map(signedPayload)))
}
