import type { FeeLevel } from '@wayleave/gas-fees'

/** How the offers of one level of one strategy fared in one market before one judge. */
export interface Measurement {
  readonly market: string
  readonly strategy: string
  readonly level: FeeLevel
  readonly judge: string
  /** How many offers were made. */
  readonly offers: number
  /** How many of them were included in the first, second, … block after them; the last entry: in none of those. */
  readonly waits: readonly number[]
  /**
   * What the included ones together paid beyond base fee and threshold, of base fee and threshold together: 0.1 is 10 % too
   * much. This and the next two are undefined where none was included, and where nothing would have sufficed.
   */
  readonly overpaid: number | undefined
  /** The same as a mean, in gwei per gas. */
  readonly overpaidGwei: number | undefined
  /** Mean of max fee over what was paid: 1.5 is a reserve of half the price. */
  readonly reserve: number | undefined
}

/** The share of offers that none of the next `blocks` blocks included. */
export function missedAfter({ waits, offers }: Measurement, blocks: number): number {
  return waits.slice(Math.min(blocks, waits.length - 1)).reduce((sum, count) => sum + count, 0) / offers
}

/** Of the included: the mean number of blocks waited; undefined where none was. */
export function meanWait({ waits }: Measurement): number | undefined {
  const included = waits.slice(0, -1)
  const count = included.reduce((sum, each) => sum + each, 0)
  return count === 0 ? undefined : included.reduce((sum, each, at) => sum + each * (at + 1), 0) / count
}

/** Of all: the number of blocks within which `share` of the offers were included; undefined where fewer ever were. */
export function waitOf({ waits, offers }: Measurement, share: number): number | undefined {
  let sum = 0
  for (const [at, count] of waits.slice(0, -1).entries()) {
    sum += count
    if (sum >= share * offers) return at + 1
  }
  return undefined
}
