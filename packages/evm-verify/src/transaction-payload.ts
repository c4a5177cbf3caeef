import type { Transaction } from '@wayleave/evm-types'
import { bytesFromNumber, joinBytes } from './bytes.ts'
import { encodeRlp, type RlpItem } from './rlp.ts'
import { depositType, hashedMembers, quantityItem, wordItem } from './transaction-members.ts'
import type { TransactionSignature } from './transaction-signature.ts'
import { transactionType } from './transaction-type.ts'

/** The shared part of a transaction's two encodings, so that its digits are read only once. */
export interface TransactionContents {
  readonly type: number
  /** The members that its type hashes, without the signature. */
  readonly items: readonly RlpItem[]
}

/** Reads the contents of a transaction of types 0 to 4 or `0x7e`. @throws VerifyError */
export function transactionContents(tx: Transaction): TransactionContents {
  const type = transactionType(tx)
  const members = hashedMembers.get(type) ?? []
  return { type, items: members.map(([name, encode]) => encode(tx[name], name)) }
}

/**
 * The bytes of the transaction without blobs, which its hash and its block's root cover. Source: EIP-2718.
 * @throws VerifyError
 */
export function signedPayload(tx: Transaction): Uint8Array {
  return withSignature(tx, transactionContents(tx))
}

/** {@link signedPayload} of contents that were already read. @throws VerifyError */
export function withSignature(tx: Transaction, contents: TransactionContents): Uint8Array {
  if (contents.type === depositType) return envelope(contents, [])
  const parity = contents.type !== 0 && tx.yParity != null ? 'yParity' : 'v'
  return envelope(contents, [quantityItem(tx[parity], parity), wordItem(tx.r, 'r'), wordItem(tx.s, 's')])
}

/** The bytes whose hash the sender signed. Source: EIP-155, EIP-2718. */
export function signingPayload(contents: TransactionContents, { chainId }: TransactionSignature): Uint8Array {
  if (chainId === undefined) return envelope(contents, [])
  return envelope(contents, [bytesFromNumber(`0x${chainId.toString(16)}`), nothing, nothing])
}

const nothing = new Uint8Array(0)

function envelope({ type, items }: TransactionContents, more: readonly RlpItem[]): Uint8Array {
  const list = encodeRlp([...items, ...more])
  return type === 0 ? list : joinBytes([Uint8Array.of(type), list])
}
