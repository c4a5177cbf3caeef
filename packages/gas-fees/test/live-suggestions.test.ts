import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type FeeHistory, metamask, type SuggestedGasFees, suggestGasFees } from '../src/index.ts'

interface Recording {
  readonly chain: string
  readonly oldestBlock: number
  readonly nextBaseFeePerGas: string
  readonly suggested: SuggestedGasFees
  readonly blocks: readonly (readonly [baseFee: string, ratio: number, ...rewards: string[]])[]
}

const { chains } = JSON.parse(readFileSync(new URL('vectors/live-suggestions.json', import.meta.url), 'utf8')) as {
  chains: readonly Recording[]
}

function historyOf({ oldestBlock, nextBaseFeePerGas, blocks }: Recording): FeeHistory {
  return {
    percentiles: [10, 20, 30, 50, 95],
    blocks: blocks.map(([baseFee, gasUsedRatio, ...rewards], i) => ({
      number: oldestBlock + i,
      baseFeePerGas: BigInt(baseFee),
      gasUsedRatio,
      rewards: rewards.map(BigInt),
    })),
    nextBaseFeePerGas: BigInt(nextBaseFeePerGas),
    blockTimeMs: undefined,
  }
}

test.each(chains.map((each) => [each.chain, each] as const))(
  'on recorded blocks of %s, ranges and the base fee are those that the live service told',
  (_, recording) => {
    const { historicalBaseFeeRange, historicalPriorityFeeRange, estimatedBaseFee, baseFeeTrend } = recording.suggested
    expect(suggestGasFees(historyOf(recording), { strategy: metamask })).toMatchObject({
      historicalBaseFeeRange,
      historicalPriorityFeeRange,
      estimatedBaseFee,
      baseFeeTrend,
    })
  },
)

test('a window of one block more would tell another range', () => {
  const history = historyOf(chains[0]!)
  const { historicalBaseFeeRange } = suggestGasFees(history, { strategy: { ...metamask, window: 201 } })
  expect(historicalBaseFeeRange).not.toEqual(chains[0]!.suggested.historicalBaseFeeRange)
})
