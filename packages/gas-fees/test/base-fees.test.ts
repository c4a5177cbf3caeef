import { expect, test } from 'vitest'
import { baseFeeHistory, baseFeePercentile, busyThreshold, type FeeHistory, GasFeesError } from '../src/index.ts'

/** Base fees of 10, 9, … 1 gwei. */
const history: FeeHistory = {
  percentiles: [],
  blocks: Array.from({ length: 10 }, (_, i) => ({
    number: i,
    baseFeePerGas: BigInt(10 - i) * 1_000_000_000n,
    gasUsedRatio: 0.5,
    rewards: undefined,
  })),
  nextBaseFeePerGas: 1n,
  blockTimeMs: undefined,
}

test('the history is told oldest first, in gwei', () => {
  expect(baseFeeHistory(history)).toEqual(['10', '9', '8', '7', '6', '5', '4', '3', '2', '1'])
})

test('a percentile is the base fee that so many blocks do not exceed', () => {
  expect([0, 10, 11, 50, 90, 91, 100].map((each) => baseFeePercentile(history, each))).toEqual([
    '1',
    '1',
    '2',
    '5',
    '9',
    '10',
    '10',
  ])
})

test('by default it is the median, and above the 90th the network is busy', () => {
  expect([baseFeePercentile(history), busyThreshold(history)]).toEqual(['5', '9'])
})

test.each([-1, 101, Number.NaN])('%d is no percentile', (percentile) => {
  expect(() => baseFeePercentile(history, percentile)).toThrow(GasFeesError)
})
