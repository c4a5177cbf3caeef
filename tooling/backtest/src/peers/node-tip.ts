import type { FeeBlock, FeeHistory } from '@wayleave/gas-fees'
import type { NodeKind } from '../market.ts'

const gwei = 1_000_000_000n
const ceiling = 500n * gwei

/** The most blocks that {@link nodeTip} looks back. */
export const nodeTipWindow = 40

/**
 * Computes a node's answer to `eth_maxPriorityFeePerGas`, in wei per gas. Sources: `eth/gasprice` of go-ethereum
 * (`gasprice.go`) and of op-geth (`optimism-gasprice.go`), restated.
 */
export function nodeTip(history: FeeHistory, kind: NodeKind): bigint {
  return kind === 'geth' ? gethTip(history) : opGethTip(history)
}

/**
 * geth: takes the three lowest tips of 2 wei or more of each of the last 20 blocks, and the 60th percentile of all of them, at
 * most 500 gwei. A block with none counts as the tip suggested last, and one older block is looked at besides.
 *
 * `eth_feeHistory` shows no transactions, so the three lowest tips are taken to be the lowest reading of 2 wei or more,
 * thrice: two thirds of a sample lie at or below it. The tip suggested last is taken to be the lowest sample, or 1 wei
 * if there is none.
 */
function gethTip({ blocks }: FeeHistory): bigint {
  const samples: bigint[] = []
  let missing = 0
  let wanted = 20
  for (let at = blocks.length - 1; at >= 0 && wanted > 0; at -= 1) {
    wanted -= 1
    const lowest = lowestTip(blocks[at]!)
    if (lowest !== undefined) samples.push(lowest, lowest, lowest)
    else {
      missing += 1
      if (missing <= 20) wanted += 1
    }
  }
  samples.sort(ascending)
  const last = samples[0] ?? 1n
  samples.unshift(...Array<bigint>(missing).fill(last))
  const tip = samples[Math.floor(((samples.length - 1) * 60) / 100)] ?? last
  return tip > ceiling ? ceiling : tip
}

/**
 * op-geth: 0.001 gwei while the last block had room; else a tenth above the last block's median tip if that is more. A
 * block has no room if its largest transaction would not have fit once more; here: from 95 % of its gas limit on.
 */
function opGethTip({ blocks, percentiles }: FeeHistory): bigint {
  const least = 1_000_000n
  const block = blocks.at(-1)!
  const median = block.rewards?.[percentiles.indexOf(50)] ?? 0n
  const raised = median + median / 10n
  const tip = block.gasUsedRatio >= 0.95 && raised > least ? raised : least
  return tip > ceiling ? ceiling : tip
}

function lowestTip({ rewards }: FeeBlock): bigint | undefined {
  return rewards?.find((tip) => tip >= 2n)
}

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
