import { type Quantity, quantitySchema, type Transaction } from '@wayleave/evm-types'
import { VerifyError } from './error.ts'
import { assertMember, hashedMembers } from './transaction-members.ts'

/**
 * The type of a transaction whose encoding is known here: 0 to 4, and `0x7e`, an OP-stack deposit; absent means 0.
 * @throws VerifyError `malformed`; `unsupported` for another type, and for a legacy transaction without a signature,
 * by which some networks list what nobody sent.
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

/** Nothing, or a number that is zero, padded or not. */
export function isZero(value: unknown): boolean {
  return value == null || (typeof value === 'string' && /^0x0*$/.test(value))
}
