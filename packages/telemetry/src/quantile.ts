/**
 * Estimates the value below which the part `q` of all values lies, from the count of each bucket alone: evenly spread in it, as
 * `histogram_quantile` of Prometheus has it. Of values above the last bound, that is told. NaN without values.
 */
export function quantile(q: number, counts: readonly number[], bounds: readonly number[]): number {
  const wanted = q * counts.reduce((sum, count) => sum + count, 0)
  if (wanted === 0) return Number.NaN
  let below = 0
  for (const [i, bound] of bounds.entries()) {
    const count = counts[i]!
    if (count > 0 && below + count >= wanted) {
      const least = i === 0 ? 0 : bounds[i - 1]!
      return least + ((bound - least) * (wanted - below)) / count
    }
    below += count
  }
  return bounds.at(-1)!
}
