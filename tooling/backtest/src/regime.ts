import type { Market } from './market.ts'

/** The state of a market at an offer, by what came after it. */
export type Regime = 'calm' | 'falling' | 'rising' | 'spiking'

export const regimes: readonly Regime[] = ['calm', 'falling', 'rising', 'spiking']

const lookedBack = 20
const lookedAhead = 10
const spikesWithin = 3

/**
 * Tells the state after each block: `spiking` if the price of one of the next 3 blocks is over twice the median of the last 20;
 * else `rising` or `falling` if the median of the next 10 is a tenth above or below that; else `calm`. A block's price is its
 * base fee and the threshold that a judge asked.
 */
export function regimesOf({ blocks }: Market, thresholds: readonly bigint[]): readonly Regime[] {
  const prices = blocks.map(({ baseFeePerGas }, at) => Number(baseFeePerGas + thresholds[at]!))
  return prices.map((_, at) => {
    const before = median(prices.slice(Math.max(0, at + 1 - lookedBack), at + 1))
    const next = prices.slice(at + 1, at + 1 + lookedAhead)
    if (next.slice(0, spikesWithin).some((price) => price > 2 * before)) return 'spiking'
    const after = next.length === 0 ? before : median(next)
    if (after > 1.1 * before) return 'rising'
    return after < 0.9 * before ? 'falling' : 'calm'
  })
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}
