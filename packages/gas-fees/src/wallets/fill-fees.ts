import { weiFromGwei } from '../gwei.ts'
import type { FeeLevel, FeeOffer } from '../strategy.ts'
import type { SuggestedGasFees } from '../suggestion.ts'

/** A quantity as wallets write it: a bigint, a number, or `0x…`. */
export type FeeQuantity = bigint | number | string

/** The fields of a transaction that say how it pays. */
export interface FeeFields {
  readonly type?: FeeQuantity | null | undefined
  readonly gasPrice?: FeeQuantity | null | undefined
  readonly maxFeePerGas?: FeeQuantity | null | undefined
  readonly maxPriorityFeePerGas?: FeeQuantity | null | undefined
}

/** Reads the offer of a suggestion's level, in wei per gas. */
export function offerOf(suggestion: SuggestedGasFees, level: FeeLevel): FeeOffer {
  const { suggestedMaxFeePerGas, suggestedMaxPriorityFeePerGas } = suggestion[level]
  return {
    maxFeePerGas: weiFromGwei(suggestedMaxFeePerGas),
    maxPriorityFeePerGas: weiFromGwei(suggestedMaxPriorityFeePerGas),
  }
}

/**
 * Fills in the fees of a level, in wei. Fees that the transaction names stay: beside a max fee alone, the priority fee is no
 * greater than it; to a priority fee alone, room for the base fee is added. A transaction with a gas price stays as it is.
 */
export function fillFees<T extends object>(
  transaction: T,
  suggestion: SuggestedGasFees,
  level: FeeLevel = 'medium',
): Omit<T, keyof FeeOffer> & Partial<FeeOffer> {
  const fields: FeeFields = transaction
  if (!paysByOffer(fields)) return transaction as Omit<T, keyof FeeOffer>
  const { maxFeePerGas, maxPriorityFeePerGas } = offerOf(suggestion, level)
  const max = wei(fields.maxFeePerGas)
  const tip = wei(fields.maxPriorityFeePerGas) ?? least(maxPriorityFeePerGas, max ?? maxPriorityFeePerGas)
  return { ...transaction, maxFeePerGas: max ?? maxFeePerGas - maxPriorityFeePerGas + tip, maxPriorityFeePerGas: tip }
}

/** Whether a transaction can have a max fee: it names no gas price and no type without one (legacy, EIP-2930). */
export function paysByOffer({ gasPrice, type }: FeeFields): boolean {
  return gasPrice == null && (type == null || !['0', '1', 'legacy', 'eip2930'].includes(digits(type)))
}

function digits(type: FeeQuantity): string {
  return String(type).startsWith('0x') ? String(Number(type)) : String(type)
}

function wei(value: FeeQuantity | null | undefined): bigint | undefined {
  return value == null ? undefined : BigInt(value)
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
