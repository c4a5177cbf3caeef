import { GasFeesError } from './error.ts'
import type { FeeHistory } from './fee-history.ts'
import { gweiFromWei } from './gwei.ts'
import { compare } from './statistics.ts'
import type { Gwei } from './suggestion.ts'

/** Lists a history's base fees, oldest first. */
export function baseFeeHistory(history: FeeHistory): readonly Gwei[] {
  return history.blocks.map((block) => gweiFromWei(block.baseFeePerGas))
}

/**
 * Finds the base fee that `percentile` percent of a history's blocks do not exceed (nearest rank); by default the median.
 * @throws GasFeesError `malformed` for a percentile outside 0 to 100.
 */
export function baseFeePercentile(history: FeeHistory, percentile = 50): Gwei {
  if (!(percentile >= 0 && percentile <= 100)) {
    throw new GasFeesError('malformed', `expected a percentile from 0 to 100, got ${percentile}`)
  }
  const fees = history.blocks.map((block) => block.baseFeePerGas).toSorted(compare)
  return gweiFromWei(fees[Math.max(Math.ceil((fees.length * percentile) / 100), 1) - 1] ?? 0n)
}

/** Finds the base fee above which the network is busy: the 90th percentile. */
export function busyThreshold(history: FeeHistory): Gwei {
  return baseFeePercentile(history, 90)
}
