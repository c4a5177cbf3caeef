import type { FeeBlock, FeeHistory, FeeLevel, FeeOffer } from '@wayleave/gas-fees'

/**
 * alloy's `estimate_eip1559_fees`: the median of the last ten blocks' 20th percentile tips above 0, at least 1 wei, and twice
 * the latest block's base fee. Source: `crates/provider/src/utils.rs` of alloy 2.0, restated.
 */
export function alloyOffer(history: FeeHistory): FeeOffer {
  const tip = medianTip(tipsAt(history, history.blocks.slice(-10), 20))
  return { maxPriorityFeePerGas: tip, maxFeePerGas: history.blocks.at(-1)!.baseFeePerGas * 2n + tip }
}

/** Foundry's presets Low, Market and Aggressive: percentile of the tip, and the base fee's factor in halves. */
const presets = {
  low: { percentile: 10, halves: 3n },
  medium: { percentile: 20, halves: 4n },
  high: { percentile: 50, halves: 4n },
}

/**
 * Foundry's own rule: alloy's with three presets, which passes over blocks that are less than a tenth full. Source:
 * `crates/common/src/provider/fee.rs` of foundry, restated.
 */
export function foundryOffer(history: FeeHistory, level: FeeLevel): FeeOffer {
  const { percentile, halves } = presets[level]
  const busy = history.blocks.slice(-10).filter(({ gasUsedRatio }) => gasUsedRatio >= 0.1)
  const tip = medianTip(tipsAt(history, busy, percentile))
  return { maxPriorityFeePerGas: tip, maxFeePerGas: (history.blocks.at(-1)!.baseFeePerGas * halves) / 2n + tip }
}

/**
 * The Frame wallet's rule: the middle of the last ten blocks' 10th percentile tips, of blocks neither almost empty nor almost
 * full if there are any; on Polygon at least 30 gwei; and room for two steps of an eighth. It sorts tips as text, so that
 * "9" comes after "10", and takes the newest block's tip where that makes 0. Source: `main/gas/calculator.ts` of
 * floating/frame, restated.
 */
export function frameOffer(history: FeeHistory, chainId: number | undefined): FeeOffer {
  const blocks = history.blocks.slice(-10)
  const within = (least: number, most: number): readonly FeeBlock[] =>
    blocks.filter(({ gasUsedRatio }) => gasUsedRatio > least && gasUsedRatio <= most)
  const eligible = [within(0.1, 0.9), within(0.1, 1.05), within(0, Infinity)].find(({ length }) => length > 0) ?? []
  const byText = tipsAt(history, eligible, 10).map(String).toSorted()
  const newest = tipsAt(history, blocks.slice(-1), 10)[0] ?? 0n
  const middle = BigInt(byText[byText.length >> 1] ?? 0) || newest
  const least = chainId === 137 ? 30_000_000_000n : 0n
  const tip = middle > least ? middle : least
  // Rounded up.
  return { maxPriorityFeePerGas: tip, maxFeePerGas: (history.nextBaseFeePerGas * 81n + 63n) / 64n + tip }
}

function tipsAt({ percentiles }: FeeHistory, blocks: readonly FeeBlock[], percentile: number): readonly bigint[] {
  const at = percentiles.indexOf(percentile)
  return blocks.map(({ rewards }) => rewards?.[at] ?? 0n)
}

/** The median of tips above 0, the mean of two in the middle; 1 wei without any. */
function medianTip(tips: readonly bigint[]): bigint {
  const paid = tips.filter((tip) => tip > 0n).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const half = paid.length >> 1
  const median = paid.length % 2 === 0 ? ((paid[half - 1] ?? 0n) + (paid[half] ?? 0n)) / 2n : paid[half]!
  return median > 1n ? median : 1n
}
