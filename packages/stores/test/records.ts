import type { FeeRecord } from '@wayleave/stores'

/** A record of `count` blocks from `first` on. */
export function recordOf(first: number, count: number, seed = 1n): FeeRecord {
  const blocks = Array.from({ length: count }, (_, i) => ({
    number: first + i,
    baseFeePerGas: seed * BigInt(first + i + 1) ** 9n,
    gasUsedRatio: 1 / (i + 3),
    rewards: i % 7 === 0 ? undefined : [0n, seed, 2n ** 256n - 1n],
  }))
  return { percentiles: [10, 50, 99.5], headHash: `0x${(first + count).toString(16).padStart(64, '0')}`, blocks }
}
