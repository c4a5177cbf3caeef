import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { congestionOf, priorityFeeRange, trendOf } from '../src/statistics.ts'

interface Fixture {
  readonly test: string
  readonly fn: string
  readonly blocks: readonly { baseFeePerGas: string; priorityFeesByPercentile: Record<string, string> }[]
  readonly expected: unknown
}

const { fixtures } = JSON.parse(readFileSync(new URL('vectors/metamask-fixtures.json', import.meta.url), 'utf8')) as {
  fixtures: readonly Fixture[]
}

const trends = fixtures.filter(({ fn }) => fn === 'baseTrend' || fn === 'prioTrend')

test.each(trends.map((each) => [each.test, each] as const))(
  'a trend leads from the first to the last: %s',
  (_, each) => {
    const values = each.blocks.map((block) =>
      BigInt(each.fn === 'baseTrend' ? block.baseFeePerGas : block.priorityFeesByPercentile['50']!),
    )
    expect(trendOf(values)).toBe(each.expected)
  },
)

test('nothing and a single value lead nowhere', () => {
  expect([trendOf([]), trendOf([5n])]).toEqual(['level', 'level'])
})

test('congestion is one half where there is nothing to compare with', () => {
  expect(congestionOf([], 5n)).toBe(0.5)
})

test('congestion is 0 at the cheapest block and 1 at the dearest; an equal fee is not lower', () => {
  expect([congestionOf([3n, 2n], 1n), congestionOf([1n, 2n], 3n), congestionOf([1n, 3n], 2n)]).toEqual([0, 1, 0.5])
  expect(congestionOf([2n, 2n], 2n)).toBe(0)
})

test('a range without fees is zero, and one without high fees is not upside down', () => {
  expect(priorityFeeRange([], [])).toEqual(['0', '0'])
  expect(priorityFeeRange([0n, 0n], [0n, 7n])).toEqual(['0', '0.000000007'])
  expect(priorityFeeRange([9n], [0n])).toEqual(['0.000000009', '0.000000009'])
})
