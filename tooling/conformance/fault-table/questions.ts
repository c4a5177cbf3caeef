import { keccak256, SigningKey, Transaction } from 'ethers'

/** One of the questions that a client asks. `read`, `batch`, `write` go over HTTP. */
export type Kind = 'read' | 'batch' | 'write' | 'socket'

/** The addresses and names by which one client asks one question through a network of its own. */
export interface Target {
  readonly url: string
  readonly ws: string
  /** An account and a signed transaction that no other client asks about. */
  readonly account: string
  readonly transaction: string
}

const signer = new SigningKey(keccak256('0x01'))

/** The address of caller `index`: digits only, so that it is its own checksum. */
export const accountOf = (index: number): string => `0x${String(index).padStart(40, '0')}`

/** A transfer of chain 1 that only caller `index` sends. */
export function transactionOf(index: number): string {
  const unsigned = { type: 2, chainId: 1, nonce: index, gasLimit: 21_000, maxFeePerGas: 9, maxPriorityFeePerGas: 1 }
  const transaction = Transaction.from({ ...unsigned, to: accountOf(1), value: 1 })
  transaction.signature = signer.sign(transaction.unsignedHash)
  return transaction.serialized
}

export const hashOf = (transaction: string): string => keccak256(transaction)
