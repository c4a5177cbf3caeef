import type { FeeBlock, FeeHistory } from './fee-history.ts'
import { gweiFromWei } from './gwei.ts'
import { assertPercentiles, rewardsAt } from './rewards.ts'
import { baseFeeRange, congestionOf, congestionWindow, priorityFeeRange, trendOf } from './statistics.ts'
import { wayleave } from './strategies/wayleave.ts'
import type { FeeLevel, FeeStrategy } from './strategy.ts'
import type { Incompleteness, SuggestedFees, SuggestedGasFees } from './suggestion.ts'

export interface SuggestGasFeesOptions {
  /** Default: {@link wayleave}. */
  readonly strategy?: FeeStrategy | undefined
}

/** Ethereum's block time in ms, used if none was measured. */
const defaultBlockTimeMs = 12_000

/**
 * Suggests what to offer now, by a strategy, and tells what the last blocks of its window paid. Waits range from one block to
 * as many as the strategy promises. Pure. Source: Spec §2.10.
 * @throws GasFeesError `missing_percentiles` if the history lacks 10, 50, 95 or one that the strategy reads.
 */
export function suggestGasFees(
  history: FeeHistory,
  { strategy = wayleave }: SuggestGasFeesOptions = {},
): SuggestedGasFees {
  assertPercentiles(history, strategy.percentiles)
  const { blockTimeMs = defaultBlockTimeMs, nextBaseFeePerGas } = history
  const offers = strategy.offers(history)
  const blocks = history.blocks.slice(-strategy.window)
  const [before, newest] = [blocks.slice(-2), blocks.slice(-1)]
  const baseFees = blocks.map((block) => block.baseFeePerGas)
  const earlier = earlierBaseFees(history)
  const lacks = incompletenessOf(blocks, earlier.length, strategy)
  const { nodePriorityFeePerGas: nodeTip } = history
  const floor = nodeTip === offers.low.maxPriorityFeePerGas ? { nodePriorityFee: gweiFromWei(nodeTip) } : undefined
  const estimate = (strategy.reportsLatestBaseFee ? baseFees.at(-1) : undefined) ?? nextBaseFeePerGas

  const level = (name: FeeLevel): SuggestedFees => {
    const blocksToWait = strategy.promises?.[name].withinBlocks ?? 1
    const [min, max] = strategy.waitsMs?.[name] ?? [blockTimeMs, blockTimeMs * blocksToWait]
    return {
      suggestedMaxPriorityFeePerGas: gweiFromWei(offers[name].maxPriorityFeePerGas),
      suggestedMaxFeePerGas: gweiFromWei(offers[name].maxFeePerGas),
      minWaitTimeEstimate: Math.ceil(min),
      maxWaitTimeEstimate: Math.ceil(max),
    }
  }
  return {
    low: level('low'),
    medium: level('medium'),
    high: level('high'),
    estimatedBaseFee: gweiFromWei(estimate),
    networkCongestion: congestionOf(earlier, history.blocks.at(-1)?.baseFeePerGas ?? 0n),
    latestPriorityFeeRange: priorityFeeRange(rewardsAt(history, newest, 10), rewardsAt(history, newest, 95)),
    historicalPriorityFeeRange: priorityFeeRange(rewardsAt(history, blocks, 10), rewardsAt(history, blocks, 95)),
    historicalBaseFeeRange: baseFeeRange(blocks),
    priorityFeeTrend: trendOf(rewardsAt(history, before, 50).filter((fee) => fee > 0n)),
    baseFeeTrend: trendOf([...baseFees.slice(-2), nextBaseFeePerGas]),
    ...((floor ?? lacks) && { wayleave: { ...floor, ...lacks } }),
  }
}

/** Lists the base fees before the newest block's, oldest first, as far as congestion looks back. */
function earlierBaseFees({ earlierBaseFees: before = [], blocks }: FeeHistory): readonly bigint[] {
  const recent = blocks.slice(0, -1).map((block) => block.baseFeePerGas)
  const missing = congestionWindow - recent.length
  return missing > 0 ? [...before.slice(-missing), ...recent] : recent.slice(-congestionWindow)
}

function incompletenessOf(
  blocks: readonly FeeBlock[],
  congestionBlocks: number,
  { fewestBlocks = 0 }: FeeStrategy,
): Incompleteness | undefined {
  const knownBlocks = blocks.filter(({ rewards }) => rewards !== undefined).length
  const lacks = {
    ...(knownBlocks < fewestBlocks ? { knownBlocks, calibrated: false as const } : {}),
    ...(congestionBlocks < congestionWindow ? { congestionBlocks } : {}),
  }
  return Object.keys(lacks).length > 0 ? lacks : undefined
}
