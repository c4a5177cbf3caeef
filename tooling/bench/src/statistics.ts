/** The middle of a series and how far it spread. */
export interface Summary {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** Summarizes a series. @throws RangeError without values. */
export function summarise(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b)
  return { median: middle(sorted), min: sorted[0]!, max: sorted.at(-1)! }
}

/** Finds the median: of an even number, the mean of the middle two. @throws RangeError without values. */
export function median(values: readonly number[]): number {
  return middle(values.toSorted((a, b) => a - b))
}

function middle(sorted: readonly number[]): number {
  if (sorted.length === 0) throw new RangeError('a median of at least one value was expected, none came')
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
}

/** Finds the nearest-rank percentile: the least value that `percent` of all do not exceed. @throws RangeError without values. */
export function percentile(values: readonly number[], percent: number): number {
  if (values.length === 0) throw new RangeError('a percentile of at least one value was expected, none came')
  const sorted = Float64Array.from(values).toSorted()
  const rank = Math.ceil((percent / 100) * sorted.length)
  return sorted[Math.min(Math.max(rank, 1), sorted.length) - 1]!
}

/**
 * Value over base, round by round: what disturbed a whole round cancels out.
 * @throws RangeError where the rounds are not the same.
 */
export function pairedRatios(values: readonly number[], base: readonly number[]): readonly number[] {
  if (values.length !== base.length) {
    throw new RangeError(`as many rounds were expected on both sides, ${values.length} and ${base.length} came`)
  }
  return values.map((value, round) => value / base[round]!)
}

/** The order of round `round`: each item takes each place equally often over `items.length` rounds. */
export function rotate<T>(items: readonly T[], round: number): readonly T[] {
  const from = items.length === 0 ? 0 : round % items.length
  return [...items.slice(from), ...items.slice(0, from)]
}
