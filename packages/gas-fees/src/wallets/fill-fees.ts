import { weiFromGwei } from '../gwei.ts'
import type { FeeLevel, FeeOffer } from '../strategy.ts'
import type { SuggestedGasFees } from '../suggestion.ts'

/** A quantity as wallets write it: a bigint, a number, or `0x…`. */
export type FeeQuantity = bigint | number | string

/** What of a transaction says how it pays. */
export interface FeeFields {
  readonly type?: FeeQuantity | null | undefined
  readonly gasPrice?: FeeQuantity | null | undefined
  readonly maxFeePerGas?: FeeQuantity | null | undefined
  readonly maxPriorityFeePerGas?: FeeQuantity | null | undefined
}

/** What a level of a suggestion offers, in wei per gas. */
export function offerOf(suggestion: SuggestedGasFees, level: FeeLevel): FeeOffer {
  const { suggestedMaxFeePerGas, suggestedMaxPriorityFeePerGas } = suggestion[level]
  return {
    maxFeePerGas: weiFromGwei(suggestedMaxFeePerGas),
    maxPriorityFeePerGas: weiFromGwei(suggestedMaxPriorityFeePerGas),
  }
}

/**
 * The transaction with the fees of a level, in wei. What it says already stays: of a max fee alone, the priority fee takes no
 * more than all; to a priority fee alone, the room for the base fee is added. One that pays by gas price stays as it is.
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

/** Neither a gas price nor a type without a max fee (legacy, EIP-2930) was chosen. */
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
