import { type Quantity, quantitySchema, type Transaction } from '@wayleave/evm-types'
import { assertMember } from './assert-member.ts'
import { VerifyError } from './error.ts'
import { hashedMembers } from './transaction-members.ts'

/**
 * The type of a transaction that this package can encode: 0 to 4, and `0x7e`, an OP-stack deposit; absent means 0.
 * @throws VerifyError `malformed`; `unsupported` for another type, and for a legacy transaction without a signature,
 * which some networks list although nobody sent it.
 */
export function transactionType(tx: Pick<Transaction, 'type' | 'r' | 's'>): number {
  const quantity = tx.type ?? '0x0'
  assertMember<Quantity>(quantitySchema, quantity, 'type')
  const type = Number(quantity)
  if (!hashedMembers.has(type)) {
    throw new VerifyError(
      'unsupported',
      'type',
      `type: how transactions of type ${quantity} are hashed is not known here`,
    )
  }
  if (type === 0 && isZero(tx.r) && isZero(tx.s)) {
    throw new VerifyError('unsupported', 'r', 'r: how a transaction without a signature is hashed is not known here')
  }
  return type
}

/** Null, absent, or zero, padded or not. */
export function isZero(value: unknown): boolean {
  return value == null || (typeof value === 'string' && /^0x0*$/.test(value))
}
