import { blobSchedules } from '@wayleave/gas-fees'
import { expect, it } from 'vitest'
import { simulateBlobs } from '../../src/blobs/blob-market.ts'
import { judgeBlobOffers } from '../../src/blobs/blob-promise.ts'

const markets = Object.entries(blobSchedules).flatMap(([fork, schedule]) =>
  [0.6, 1, 1.4].flatMap((demand) =>
    [50_000_000, 20_000_000_000].map((baseFeePerGas) => ({
      name: `${fork}, simulated, demand of ${demand} targets, base fee of ${baseFeePerGas / 1e9} gwei`,
      market: { name: fork, seed: 7, blocks: 3_000, schedule, demand, baseFeePerGas },
    })),
  ),
)

it.each(markets)('keeps 95 % of the promises of three blocks: $name', ({ market }) => {
  const blocks = simulateBlobs(market)
  const { offers, share, shareWithoutRoom } = judgeBlobOffers(blocks.map(({ baseFeePerBlobGas }) => baseFeePerBlobGas))
  expect(offers).toBe(market.blocks - 3)
  expect(share).toBeGreaterThanOrEqual(0.95)
  // The markets move: an offer without room is often too low.
  expect(shareWithoutRoom).toBeLessThan(0.95)
})

/** Answers of nodes, quoted in public projects: 34 offers are too few to prove 95 %, but real ones. The last one is of Ethereum after Fusaka. */
it.each([
  [['0x320b8540d', '0x384cf5f4e', '0x3f5694c1f', '0x44831ac79', '0x3f5694c1f']],
  [['0x4a1bd3218', '0x502994693', '0x4d137e31b', '0x4741676a3', '0x3f5694c1f', '0x4741676a3']],
  [['0x7b7609c19', '0x6dbe41789', '0x7223341d4', '0x6574a002c', '0x7223341d4', '0x6574a002c']],
  [['0xc0', '0xb2', '0xab', '0x98', '0x9e', '0x92', '0xa4', '0xb9', '0xd0', '0xea', '0xfd']],
  [
    // Blocks 25,834,608 to 25,834,627, and the next.
    [
      '0x27256a6',
      '0x2502d09',
      '0x256db24',
      '0x2591971',
      '0x25fe150',
      '0x2700035',
      '0x2808c8b',
      '0x28a338e',
      '0x28f14fd',
      '0x2918936',
      '0x2b4df9f',
      '0x29678bd',
      '0x25d9c7b',
      '0x25d9c7b',
      '0x2808c84',
      '0x2808c84',
      '0x287c650',
      '0x22fe064',
      '0x2453517',
      '0x201bd41',
      '0x20d652c',
    ],
  ],
])('covers the recorded fees %j', (fees) => {
  expect(judgeBlobOffers(fees.map(BigInt)).share).toBe(1)
})
