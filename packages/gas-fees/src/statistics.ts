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

/** The number of earlier blocks that congestion compares with: the service's, whose values are multiples of 1/20,000. */
export const congestionWindow = 20_000

/** Computes the share of earlier base fees that are below the newest one; 0.5 without earlier ones. */
export function congestionOf(earlier: readonly bigint[], newest: bigint): number {
  if (earlier.length === 0) return 0.5
  return earlier.filter((fee) => fee < newest).length / earlier.length
}

/** Sorts ascending. */
export function compare(a: bigint, b: bigint): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
