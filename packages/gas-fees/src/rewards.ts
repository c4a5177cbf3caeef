import { GasFeesError } from './error.ts'
import type { FeeBlock, FeeHistory } from './fee-history.ts'

/**
 * Lists what each block paid at a percentile, oldest first; blocks that do not tell it are left out.
 * @throws GasFeesError `missing_percentiles`
 */
export function rewardsAt(history: FeeHistory, blocks: readonly FeeBlock[], percentile: number): bigint[] {
  assertPercentiles(history, [percentile])
  const at = history.percentiles.indexOf(percentile)
  return blocks.map((block) => block.rewards?.[at]).filter((reward) => reward !== undefined)
}

/** Whether any of the blocks tells a tip above 0. */
export function haveTips(blocks: readonly FeeBlock[]): boolean {
  return blocks.some(({ rewards = [] }) => rewards.some((reward) => reward > 0n))
}

/** Refuses a history that lacks percentiles. @throws GasFeesError `missing_percentiles`, naming them. */
export function assertPercentiles(history: Pick<FeeHistory, 'percentiles'>, percentiles: readonly number[]): void {
  const missing = percentiles.filter((each) => !history.percentiles.includes(each))
  if (missing.length > 0) {
    throw new GasFeesError(
      'missing_percentiles',
      `expected rewards at the percentiles ${percentiles.join(', ')}, got none at ${missing.join(', ')}: ask eth_feeHistory for them`,
    )
  }
}
