import type { FeeOffer, FeeStrategy } from '@wayleave/gas-fees'
import { describe, expect, it } from 'vitest'
import { meanWait, missedAfter, waitOf } from '../src/measurement.ts'
import { type Contender, horizon, replay, warmUp } from '../src/replay.ts'
import { smallMarket } from './support/small-market.ts'

function always(offer: FeeOffer, windows: number[] = []): Contender {
  const strategy: FeeStrategy = {
    name: 'always',
    promises: undefined,
    window: 3,
    percentiles: [25],
    offers({ blocks }) {
      windows.push(blocks.length)
      return { low: offer, medium: offer, high: offer }
    },
  }
  return { strategy, levels: ['medium'] }
}

/** One offer, which sees these blocks after it. */
function watched(next: readonly { baseFee: bigint; tip: bigint }[], offer: FeeOffer) {
  const calm = Array.from({ length: horizon - next.length }, () => ({ baseFee: 10_000n, tip: 0n }))
  const market = smallMarket([{ baseFee: 100n, tip: 0n }, ...next, ...calm], warmUp - 1)
  return replay(market, [always(offer)]).find(({ judge }) => judge === 'p25')!
}

describe('replay', () => {
  it('counts the blocks until base fee and threshold are both covered', () => {
    const measured = watched(
      [
        { baseFee: 100n, tip: 11n },
        { baseFee: 111n, tip: 10n },
        { baseFee: 110n, tip: 10n },
      ],
      { maxFeePerGas: 120n, maxPriorityFeePerGas: 10n },
    )
    expect(measured.offers).toBe(1)
    expect(measured.waits.indexOf(1)).toBe(2)
    expect(missedAfter(measured, 2)).toBe(1)
    expect(missedAfter(measured, 3)).toBe(0)
    expect(meanWait(measured)).toBe(3)
    expect(waitOf(measured, 0.95)).toBe(3)
  })

  it('lets an offer pay its tip only as far as its max fee reaches', () => {
    const measured = watched([{ baseFee: 100n, tip: 5n }], { maxFeePerGas: 105n, maxPriorityFeePerGas: 50n })
    expect(measured.waits[0]).toBe(1)
    expect(measured.overpaid).toBe(0)
    expect(measured.reserve).toBe(1)
  })

  it('measures overpayment against base fee and threshold of the block that included', () => {
    const measured = watched([{ baseFee: 90n, tip: 10n }], { maxFeePerGas: 240n, maxPriorityFeePerGas: 30n })
    expect(measured.overpaid).toBeCloseTo(0.2, 12)
    expect(measured.overpaidGwei).toBeCloseTo(20e-9, 12)
    expect(measured.reserve).toBe(2)
  })

  it('misses an offer that no block within the horizon includes, and says that it paid nothing', () => {
    const measured = watched([], { maxFeePerGas: 200n, maxPriorityFeePerGas: 10n })
    expect(measured.waits[horizon]).toBe(1)
    expect(missedAfter(measured, horizon)).toBe(1)
    expect([measured.overpaid, measured.overpaidGwei, measured.reserve]).toEqual([undefined, undefined, undefined])
    expect([meanWait(measured), waitOf(measured, 0.5)]).toEqual([undefined, undefined])
  })

  it('shows a strategy no more than its window, and no block after the newest', () => {
    const windows: number[] = []
    replay(smallMarket([{ baseFee: 1n, tip: 1n }], warmUp + horizon), [
      always({ maxFeePerGas: 2n, maxPriorityFeePerGas: 1n }, windows),
    ])
    expect(windows).toEqual([3, 3])
  })

  it('refuses a market that is too short for a single offer', () => {
    const short = smallMarket([{ baseFee: 1n, tip: 1n }], warmUp + horizon - 2)
    expect(() => replay(short, [])).toThrow(/230 blocks or more were expected of small, 229 came/)
  })
})
