import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { feeHistoryFromAnswer, type FeeHistory, gweiFromWei, metamask, suggestGasFees } from '../../src/index.ts'

interface FixtureBlock {
  readonly number: number
  readonly baseFeePerGas: string
  readonly gasUsedRatio: number
  readonly priorityFeesByPercentile: Readonly<Record<string, string>>
}
interface Fixture {
  readonly test: string
  readonly fn: string
  readonly blocks: readonly FixtureBlock[]
  readonly expected: unknown
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}`, import.meta.url), 'utf8')) as T
}

const percentiles = [10, 20, 30, 50, 95]
const { fixtures } = read<{ fixtures: readonly Fixture[] }>('metamask-fixtures.json')
const { histories } = read<{ histories: readonly ReferencedHistory[] }>('synthetic-histories.json')

interface ReferencedHistory {
  readonly name: string
  readonly percentiles: readonly number[]
  readonly reference: { readonly nextBaseFee: string }
}

/** Rewards that a fixture leaves out count as 0, and the base fee stands still. */
function historyOf(blocks: readonly FixtureBlock[]): FeeHistory {
  return {
    percentiles,
    blocks: blocks.map((block, i) => ({
      number: i,
      baseFeePerGas: BigInt(block.baseFeePerGas),
      gasUsedRatio: block.gasUsedRatio,
      rewards: percentiles.map((percentile) => BigInt(block.priorityFeesByPercentile[percentile] ?? 0)),
    })),
    nextBaseFeePerGas: BigInt(blocks.at(-1)!.baseFeePerGas),
    blockTimeMs: 15_000,
  }
}

/** The member of a suggestion that a function of the original makes. Trends have a test of their own. */
const members: Readonly<Record<string, (history: FeeHistory) => unknown>> = {
  levels: (history) => {
    const { low, medium, high } = suggestGasFees(history, { strategy: metamask })
    return { low, medium, high }
  },
  baseRange: (history) => suggestGasFees(history, { strategy: metamask }).historicalBaseFeeRange,
  congestion: (history) => suggestGasFees(history, { strategy: metamask }).networkCongestion,
  prioRange: (history) => suggestGasFees(history, { strategy: metamask }).historicalPriorityFeeRange,
}

const whole = fixtures.filter(({ fn, blocks }) => members[fn] !== undefined && blocks.length > 0)

test.each(whole.map((each) => [each.test, each] as const))('MetaMask’s own test comes out the same: %s', (_, each) => {
  expect(members[each.fn]!(historyOf(each.blocks))).toEqual(each.expected)
})

test.each(histories.map((each) => [each.name, each] as const))('the whole suggestion is MetaMask’s: %s', (__, each) => {
  const { nextBaseFee, ...expected } = each.reference
  const history = feeHistoryFromAnswer(each, { percentiles: each.percentiles })
  // The reference knows no block before its window.
  const blocks = history.blocks.slice(-metamask.window)
  const { wayleave: _, ...fees } = suggestGasFees({ ...history, blocks }, { strategy: metamask })
  expect(fees).toEqual(expected)
  expect(gweiFromWei(history.nextBaseFeePerGas)).toBe(nextBaseFee)
})

test('the max fee holds the next base fee where that rose by more than the rule adds', () => {
  const [block] = fixtures[0]!.blocks
  const history = { ...historyOf([block!]), nextBaseFeePerGas: 337_500_000_000n }
  const { low } = metamask.offers(history)
  expect(low).toEqual({ maxPriorityFeePerGas: 1_000_000_000n, maxFeePerGas: 338_500_000_000n })
})

test('the number of pairs is that of the vectors', () => {
  expect(fixtures.length).toBe(11)
  expect(histories.length).toBe(6)
})
