import type { FeeLevel } from '@wayleave/gas-fees'
import type { Regime } from './regime.ts'

/** The results of one level's offers, of one strategy, in one market, by one judge. */
export interface Measurement {
  readonly market: string
  readonly strategy: string
  readonly level: FeeLevel
  readonly judge: string
  /** The only offers counted: those made in this state; undefined: all. */
  readonly regime?: Regime
  /** How many offers were made. */
  readonly offers: number
  /** How many were included in the first, second, … block after them; the last entry: in none. */
  readonly waits: readonly number[]
  /**
   * The sum that included offers paid beyond base fee and threshold, as a share of base fee and threshold: 0.1 is 10 % too
   * much. This and the next two are undefined if none was included, or if nothing would have sufficed.
   */
  readonly overpaid: number | undefined
  /** The same as a mean, in gwei per gas. */
  readonly overpaidGwei: number | undefined
  /** Mean of max fee over price paid: 1.5 is a reserve of half the price. */
  readonly reserve: number | undefined
}

/** Computes the share of offers that none of the next `blocks` blocks included. */
export function missedAfter({ waits, offers }: Measurement, blocks: number): number {
  return waits.slice(Math.min(blocks, waits.length - 1)).reduce((sum, count) => sum + count, 0) / offers
}

/** Computes the mean number of blocks that included offers waited; undefined if none was included. */
export function meanWait({ waits }: Measurement): number | undefined {
  const included = waits.slice(0, -1)
  const count = included.reduce((sum, each) => sum + each, 0)
  return count === 0 ? undefined : included.reduce((sum, each, at) => sum + each * (at + 1), 0) / count
}

/** Computes the number of blocks within which `share` of all offers were included; undefined if fewer ever were. */
export function waitOf({ waits, offers }: Measurement, share: number): number | undefined {
  let sum = 0
  for (const [at, count] of waits.slice(0, -1).entries()) {
    sum += count
    if (sum >= share * offers) return at + 1
  }
  return undefined
}
