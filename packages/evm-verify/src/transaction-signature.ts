import { type Transaction, wordSchema } from '@wayleave/evm-types'
import { assertMember, numberOf } from './assert-member.ts'
import { VerifyError } from './error.ts'
import type { RecoverableSignature } from './recover-address.ts'
import { depositType } from './transaction-members.ts'

export interface TransactionSignature extends RecoverableSignature {
  /** The chain that `v` of a legacy transaction binds it to; undefined before EIP-155, and for types 1 to 4, which list it. */
  readonly chainId: bigint | undefined
}

/**
 * Reads the signature of a transaction of `type` 0 to 4. `v` must agree with `yParity`, and the chain id in `v` with
 * `chainId`. Source: EIP-155, EIP-2718. @throws VerifyError `unsupported` for a deposit
 */
export function transactionSignature(tx: Transaction, type: number): TransactionSignature {
  if (type === depositType) {
    throw new VerifyError('unsupported', 'type', 'type: nobody signs a deposit, its hash covers its sender')
  }
  const { yParity, chainId } = type === 0 ? legacyParity(tx) : { yParity: listedParity(tx), chainId: undefined }
  if (tx.yParity != null && numberOf(tx.yParity, 'yParity') !== yParity) throw contradiction('yParity', 'v')
  if (chainId !== undefined && tx.chainId != null && numberOf(tx.chainId, 'chainId') !== chainId) {
    throw contradiction('chainId', 'v')
  }
  assertMember(wordSchema, tx.r, 'r')
  assertMember(wordSchema, tx.s, 's')
  return { r: BigInt(tx.r), s: BigInt(tx.s), yParity: yParity === 0n ? 0 : 1, chainId }
}

function legacyParity(tx: Transaction): { yParity: bigint; chainId: bigint | undefined } {
  const v = numberOf(tx.v, 'v')
  if (v === 27n || v === 28n) return { yParity: v - 27n, chainId: undefined }
  if (v < 35n) throw new VerifyError('invalid_signature', 'v', `v: expected 27, 28 or at least 35, got ${v}`)
  return { yParity: (v - 35n) % 2n, chainId: (v - 35n) / 2n }
}

function listedParity(tx: Transaction): bigint {
  const member = tx.v == null ? 'yParity' : 'v'
  const parity = numberOf(tx[member], member)
  if (parity > 1n) throw new VerifyError('invalid_signature', member, `${member}: expected 0 or 1, got ${parity}`)
  return parity
}

function contradiction(field: string, other: string): VerifyError {
  return new VerifyError('malformed', field, `${field}: contradicts ${other}`)
}
