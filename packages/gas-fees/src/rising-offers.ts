import type { FeeLevel, FeeOffer } from './strategy.ts'

/** A level's fees as a strategy computes them, before {@link risingOffers} relates them to the other levels. */
interface LevelFees {
  readonly tip: bigint
  /** The highest base fee that the offer leaves room for. */
  readonly baseFee: bigint
}

/** Makes offers that rise from low to high, each covering the next base fee and the tip. */
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
