import type { FeeLevel, FeeOffer } from './strategy.ts'

/** What a strategy works out of a level: the fees without the relations that they must keep. */
export interface LevelFees {
  readonly tip: bigint
  /** What the base fee may rise to. */
  readonly baseFee: bigint
}

/** Offers that rise from low to high, and hold the next base fee together with the tip. */
export function risingOffers(
  nextBaseFeePerGas: bigint,
  feesOf: (level: FeeLevel) => LevelFees,
): Readonly<Record<FeeLevel, FeeOffer>> {
  let tip = 0n
  let room = nextBaseFeePerGas
  const offer = (level: FeeLevel): FeeOffer => {
    const fees = feesOf(level)
    if (fees.tip > tip) tip = fees.tip
    if (fees.baseFee > room) room = fees.baseFee
    return { maxPriorityFeePerGas: tip, maxFeePerGas: room + tip }
  }
  return { low: offer('low'), medium: offer('medium'), high: offer('high') }
}
