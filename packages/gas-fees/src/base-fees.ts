import { GasFeesError } from './error.ts'
import type { FeeHistory } from './fee-history.ts'
import { gweiFromWei } from './gwei.ts'
import { compare } from './statistics.ts'
import type { Gwei } from './suggestion.ts'

/** The base fees of a history, oldest first. */
export function baseFeeHistory(history: FeeHistory): readonly Gwei[] {
  return history.blocks.map((block) => gweiFromWei(block.baseFeePerGas))
}

/**
 * The base fee that `percentile` percent of a history's blocks do not exceed (nearest rank); the median by default.
 * @throws GasFeesError `malformed` for a percentile that is not from 0 to 100.
 */
export function baseFeePercentile(history: FeeHistory, percentile = 50): Gwei {
  if (!(percentile >= 0 && percentile <= 100)) {
    throw new GasFeesError('malformed', `expected a percentile from 0 to 100, got ${percentile}`)
  }
  const fees = history.blocks.map((block) => block.baseFeePerGas).toSorted(compare)
  return gweiFromWei(fees[Math.max(Math.ceil((fees.length * percentile) / 100), 1) - 1] ?? 0n)
}

/** Above this base fee the network is busy: the 90th percentile. */
export function busyThreshold(history: FeeHistory): Gwei {
  return baseFeePercentile(history, 90)
}
