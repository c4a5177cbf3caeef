import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type FeeBlock,
  type FeeHistory,
  type FeeStrategy,
  GasFeesError,
  metamask,
  type SuggestedGasFees,
  suggestGasFees,
  wayleave,
  weiFromGwei,
} from '../src/index.ts'

const percentiles = [0, 10, 20, 25, 30, 40, 50, 95]
const levels = ['low', 'medium', 'high'] as const
const trends: readonly string[] = ['up', 'down', 'level']

/** From nothing over ordinary fees to amounts that no double holds. */
const wei = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(0n, 1n, 7n, 2n ** 200n) },
  { weight: 5, arbitrary: fc.bigInt({ min: 0n, max: 200_000_000_000n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: 2n ** 200n }) },
)
/** Ascending, as of an honest node, or in any order. */
const rewards = fc.oneof(
  { weight: 1, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.constant(percentiles.map(() => 0n)) },
  {
    weight: 5,
    arbitrary: fc
      .array(wei, { minLength: percentiles.length, maxLength: percentiles.length })
      .map((row) => row.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))),
  },
  { weight: 1, arbitrary: fc.array(wei, { minLength: percentiles.length, maxLength: percentiles.length }) },
)
const block = fc.record({
  baseFeePerGas: wei,
  gasUsedRatio: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })),
  rewards,
})
/** Histories of one to sixty blocks; some repeat the one before, as after a reorganisation. */
const histories: fc.Arbitrary<FeeHistory> = fc
  .record({
    blocks: fc.array(fc.record({ block, times: fc.constantFrom(1, 1, 1, 5) }), { minLength: 1, maxLength: 12 }),
    nextBaseFeePerGas: wei,
    blockTimeMs: fc.oneof(fc.constant(undefined), fc.double({ min: 1, max: 60_000, noNaN: true })),
  })
  .map(({ blocks, ...rest }) => ({
    percentiles,
    blocks: blocks
      .flatMap((each) => Array<typeof each.block>(each.times).fill(each.block))
      .map((each, number): FeeBlock => ({ number, ...each })),
    ...rest,
  }))

/** Lists the faults of a suggestion. */
function faultsOf(history: FeeHistory, fees: SuggestedGasFees): string[] {
  const faults: string[] = []
  const hold = (law: boolean, name: string): unknown => law || faults.push(name)
  let [max, tip] = [0n, 0n]
  for (const level of levels) {
    const offer = fees[level]
    const [before, tipBefore] = [max, tip]
    max = weiFromGwei(offer.suggestedMaxFeePerGas)
    tip = weiFromGwei(offer.suggestedMaxPriorityFeePerGas)
    hold(max >= history.nextBaseFeePerGas + tip, `${level} holds the next base fee and its tip`)
    hold(max >= before && tip >= tipBefore, `${level} is no cheaper than the level before`)
    const { minWaitTimeEstimate: least, maxWaitTimeEstimate: most } = offer
    hold(Number.isInteger(least) && Number.isInteger(most) && least > 0 && most >= least, `${level} waits`)
  }
  const ranges = [fees.latestPriorityFeeRange, fees.historicalPriorityFeeRange, fees.historicalBaseFeeRange]
  for (const [low, high] of ranges) hold(weiFromGwei(low) <= weiFromGwei(high), 'ranges rise')
  const printed = [fees.estimatedBaseFee, ...ranges.flat(), ...levels.flatMap((level) => Object.values(fees[level]))]
  for (const text of printed) hold(typeof text === 'number' || /^(0|[1-9]\d*)(\.\d{0,8}[1-9])?$/.test(text), text)
  hold(fees.networkCongestion >= 0 && fees.networkCongestion <= 1, 'congestion is from 0 to 1')
  hold(trends.includes(fees.priorityFeeTrend) && trends.includes(fees.baseFeeTrend), 'trends have names')
  return faults
}

test.each([wayleave, metamask].map((strategy) => [strategy.name, strategy] as const))(
  'what %s suggests keeps every invariant over random histories',
  (_, strategy) => {
    fc.assert(
      fc.property(histories, (history) => {
        const faults = faultsOf(history, suggestGasFees(history, { strategy }))
        if (faults.length > 0) throw new Error(faults.join('; '))
      }),
      { numRuns: 10_000 },
    )
  },
)

function steady(changes: Partial<FeeHistory> = {}): FeeHistory {
  const one = { baseFeePerGas: 10_000_000_000n, gasUsedRatio: 0.5, rewards: percentiles.map((each) => BigInt(each)) }
  return {
    percentiles,
    blocks: Array.from({ length: 30 }, (_, number) => ({ number, ...one })),
    nextBaseFeePerGas: 10_000_000_000n,
    blockTimeMs: 2_000,
    ...changes,
  }
}

test('the same history makes the same suggestion, and stays as it is', () => {
  const history = steady()
  const before = structuredClone(history)
  expect(suggestGasFees(history)).toEqual(suggestGasFees(history))
  expect(history).toEqual(before)
})

test('waits reach from one block to as many as are promised, in measured time', () => {
  const { low, medium, high } = suggestGasFees(steady())
  expect([low, medium, high].map((each) => [each.minWaitTimeEstimate, each.maxWaitTimeEstimate])).toEqual([
    [2_000, 20_000],
    [2_000, 6_000],
    [2_000, 2_000],
  ])
})

test('without a measured time blocks are taken to last 12 s', () => {
  expect(suggestGasFees(steady({ blockTimeMs: undefined })).medium.maxWaitTimeEstimate).toBe(36_000)
})

test('the estimated base fee is the next block’s, and a trend leads to it', () => {
  const rising = suggestGasFees(steady({ nextBaseFeePerGas: 10_000_000_001n }))
  expect([rising.estimatedBaseFee, rising.baseFeeTrend]).toEqual(['10.000000001', 'up'])
  expect(suggestGasFees(steady({ nextBaseFeePerGas: 1n })).baseFeeTrend).toBe('down')
  expect(suggestGasFees(steady()).baseFeeTrend).toBe('level')
})

test('blocks before the window of a strategy have no say', () => {
  const dear = { number: 0, baseFeePerGas: 2n ** 100n, gasUsedRatio: 1, rewards: percentiles.map(() => 2n ** 100n) }
  const calm = Array.from({ length: wayleave.window }, () => steady().blocks[0]!)
  const { wayleave: lacks, ...fees } = suggestGasFees(steady({ blocks: [dear, ...calm] }))
  expect(lacks).toEqual({ congestionBlocks: wayleave.window })
  expect({ ...fees, wayleave: { congestionBlocks: wayleave.window - 1 } }).toEqual(
    suggestGasFees(steady({ blocks: calm })),
  )
})

/** The values that the service told for these chains at one moment, each a multiple of 1/20,000. */
test.each([
  ['Ethereum', 0.7192],
  ['Base', 0.84],
  ['Polygon', 0.23245],
])('congestion is the rank of the newest base fee among 20,000 before it: %s, %d', (_, reported) => {
  const below = Math.round(reported * 20_000)
  const older = Array.from({ length: 20_000 - 29 }, (__, i) => (i < below ? 9n : 11n) * 1_000_000_000n)
  // Blocks before the 20,000 do not count, and neither does an equal fee.
  const fees = suggestGasFees(steady({ earlierBaseFees: [1n, 1n, 1n, ...older] }))
  expect(fees.networkCongestion).toBe(reported)
  expect(fees.wayleave).toBeUndefined()
})

test('a suggestion says how few blocks it knows, and how few its congestion compares with', () => {
  const suggestion = (count: number): SuggestedGasFees =>
    suggestGasFees(steady({ blocks: steady().blocks.slice(-count) }))
  expect(suggestion(1).wayleave).toEqual({ knownBlocks: 1, calibrated: false, congestionBlocks: 0 })
  expect(suggestion(9).wayleave).toEqual({ knownBlocks: 9, calibrated: false, congestionBlocks: 8 })
  expect(suggestion(10).wayleave).toEqual({ congestionBlocks: 9 })
  const unreported = steady().blocks.map((each, i) => (i < 25 ? { ...each, rewards: undefined } : each))
  expect(suggestGasFees(steady({ blocks: unreported })).wayleave).toEqual({
    knownBlocks: 5,
    calibrated: false,
    congestionBlocks: 29,
  })
  // MetaMask's rule always looks at five blocks and errs in no direction.
  expect(suggestGasFees(steady(), { strategy: metamask }).wayleave).toEqual({ congestionBlocks: 29 })
})

test('a history without a percentile that is read is refused, naming it', () => {
  const history = steady({ percentiles: [10, 20, 30, 50, 95] })
  expect(() => suggestGasFees(history)).toThrow(/got none at 25, 40/)
  const strategy: FeeStrategy = { ...metamask, percentiles: [], offers: () => wayleave.offers(steady()) }
  expect(() => suggestGasFees({ ...history, percentiles: [10] }, { strategy })).toThrow(GasFeesError)
})
