import type { Transaction } from '@wayleave/evm-types'
import { bytesFromNumber, joinBytes } from './bytes.ts'
import { encodeRlp, type RlpItem } from './rlp.ts'
import { quantityItem, signedMembers, wordItem } from './transaction-members.ts'
import { transactionSignature } from './transaction-signature.ts'
import { transactionType } from './transaction-type.ts'

/**
 * The bytes of the signed transaction, without blobs: what its hash is taken of. Source: EIP-2718.
 * @throws VerifyError
 */
export function signedPayload(tx: Transaction): Uint8Array {
  const type = transactionType(tx)
  const parity = type !== 0 && tx.yParity != null ? 'yParity' : 'v'
  const signature = [quantityItem(tx[parity], parity), wordItem(tx.r, 'r'), wordItem(tx.s, 's')]
  return envelope(type, [...contents(tx, type), ...signature])
}

/** The bytes whose hash the sender signed. Source: EIP-155, EIP-2718. @throws VerifyError */
export function signingPayload(tx: Transaction): Uint8Array {
  const type = transactionType(tx)
  const { chainId } = transactionSignature(tx, type)
  const bound = chainId === undefined ? [] : [bytesFromNumber(`0x${chainId.toString(16)}`), nothing, nothing]
  return envelope(type, [...contents(tx, type), ...bound])
}

const nothing = new Uint8Array(0)

function contents(tx: Transaction, type: number): RlpItem[] {
  const members = Object.entries(signedMembers.get(type) ?? {})
  return members.map(([name, encode]) => encode(tx[name as keyof Transaction], name))
}

function envelope(type: number, items: readonly RlpItem[]): Uint8Array {
  const list = encodeRlp(items)
  return type === 0 ? list : joinBytes([Uint8Array.of(type), list])
}
