import { expect, it } from 'vitest'
import { headAt } from '../cache/cache-chain.ts'
import { measureShare } from '../cache/share.ts'
import { readTraffic } from '../cache/traffic-record.ts'
import { wayleave } from '../pool-bars/gateways/wayleave.ts'

// All parts, with the bars on CPU: `pnpm --filter @wayleave/conformance cache`.

it(
  'callers have right answers from the cache while blocks come, and the node gets a part of the calls',
  { timeout: 150_000 },
  async () => {
    const figures = await measureShare({
      product: wayleave,
      calls: 1_000,
      pace: 12,
      signal: AbortSignal.timeout(140_000),
    })
    const valueOf = (part: string): number => figures.find(({ name }) => name.includes(part))!.value
    expect(valueOf('failed')).toBe(0)
    expect(valueOf('wrong')).toBe(0)
    // Most keys of old blocks are asked once in so few calls.
    expect(valueOf('came to the node')).toBeLessThan(0.7)
  },
)

it('the record of stock clients names only blocks and questions that it has', () => {
  const { calls, questions, hashes, firstHead, minedAt, logs } = readTraffic()
  expect(new Set(calls.map(([client]) => client))).toEqual(new Set(['wagmi', 'ponder', 'poller']))
  expect(calls.every(([, , question]) => questions[question] !== undefined)).toBe(true)
  expect(hashes).toHaveLength(firstHead + minedAt.length + 1)
  expect(logs.every(({ blockHash, blockNumber }) => hashes[Number(blockNumber)] === blockHash)).toBe(true)
})

it('the chain of the rig grows by a block each so many milliseconds', () => {
  const pace = { blockMs: 2_000, startedAt: 10_000 }
  expect([9_999, 10_000, 11_999, 12_000].map((now) => headAt(pace, now))).toEqual([4_999, 5_000, 5_000, 5_001])
})
