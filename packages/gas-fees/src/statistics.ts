import type { FeeBlock } from './fee-history.ts'
import { gweiFromWei } from './gwei.ts'
import type { FeeTrend, Gwei } from './suggestion.ts'

type Range = readonly [low: Gwei, high: Gwei]

/** Finds the smallest fee above 0 and the greatest; 0 if there is none. */
export function priorityFeeRange(low: readonly bigint[], high: readonly bigint[]): Range {
  const [smallest = 0n] = low.filter((fee) => fee > 0n).toSorted(compare)
  const greatest = high.toSorted(compare).at(-1) ?? 0n
  return [gweiFromWei(smallest), gweiFromWei(smallest > greatest ? smallest : greatest)]
}

/** Finds the smallest and the greatest base fee; 0 without blocks. */
export function baseFeeRange(blocks: readonly FeeBlock[]): Range {
  const fees = blocks.map((block) => block.baseFeePerGas).toSorted(compare)
  return [gweiFromWei(fees[0] ?? 0n), gweiFromWei(fees.at(-1) ?? 0n)]
}

/** Compares the last value with the first: `level` if they are equal, or without values. */
export function trendOf(values: readonly bigint[]): FeeTrend {
  const first = values[0] ?? 0n
  const last = values.at(-1) ?? 0n
  if (last === first) return 'level'
  return last > first ? 'up' : 'down'
}

/** Computes the share of the other blocks with a base fee below the newest one's; 0.5 without others. */
export function congestionOf(blocks: readonly FeeBlock[]): number {
  const newest = blocks.at(-1)?.baseFeePerGas
  if (newest === undefined || blocks.length === 1) return 0.5
  return blocks.filter((block) => block.baseFeePerGas < newest).length / (blocks.length - 1)
}

/** Sorts ascending. */
export function compare(a: bigint, b: bigint): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
