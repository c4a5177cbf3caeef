import { nextBaseFee } from './base-fee.ts'
import type { FeeBlock, FeeHistory } from './fee-history.ts'
import { GasFeesError } from './error.ts'
import { listOf, quantities, quantity } from './quantity.ts'

export interface FeeHistoryOptions {
  /** The percentiles that the node was asked for, ascending. */
  readonly percentiles: readonly number[]
  /** Mean time from block to block, in ms. */
  readonly blockTimeMs?: number | undefined
}

/**
 * Reads an answer to `eth_feeHistory`, as nodes really give it. The oldest block's number may be a JSON number. Rewards may
 * be null, absent or short, in one block or in all, and are then undefined. A ratio above 1 becomes 1; one that is no number
 * becomes 0. If a base fee in between is missing, the blocks up to it are left out. A base fee of 0 is valid: some
 * chains have it.
 * @throws GasFeesError `unsupported` if there are no base fees, `invalid_response` if there are no blocks: null for the ratios, say.
 */
export function feeHistoryFromAnswer(answer: unknown, { percentiles, blockTimeMs }: FeeHistoryOptions): FeeHistory {
  const { oldestBlock, baseFeePerGas, gasUsedRatio, reward } = (answer ?? {}) as Record<string, unknown>
  const ratios = listOf(gasUsedRatio)
  const baseFees = quantities(baseFeePerGas)
  const oldest = quantity(oldestBlock)
  if (oldest === undefined || ratios.length === 0) {
    const [name, given] =
      oldest === undefined ? ['oldestBlock', oldestBlock] : ['gasUsedRatio of each block', gasUsedRatio]
    const got = given == null ? 'null' : Array.isArray(given) ? 'none' : 'something else'
    throw new GasFeesError('invalid_response', `expected ${name} in eth_feeHistory, got ${got}: the node told no block`)
  }
  if (baseFees.every((fee) => fee === undefined)) {
    throw new GasFeesError(
      'unsupported',
      'expected baseFeePerGas of each block, got none: use eth_gasPrice on this chain',
    )
  }
  const rewards = listOf(reward)
  let blocks: FeeBlock[] = []
  for (const [i, ratio] of ratios.entries()) {
    const fee = baseFees[i]
    if (fee === undefined) blocks = []
    else {
      blocks.push({
        number: Number(oldest) + i,
        baseFeePerGas: fee,
        gasUsedRatio: ratioOf(ratio),
        rewards: rewardsOf(rewards[i], percentiles.length),
      })
    }
  }
  const last = blocks.at(-1)
  if (last === undefined) {
    throw new GasFeesError('invalid_response', 'expected the baseFeePerGas of the newest block, got none: ask again')
  }
  return {
    percentiles,
    blocks,
    nextBaseFeePerGas: baseFees[ratios.length] ?? followingBaseFee(last),
    blockTimeMs,
  }
}

/** Computes a next base fee that the node left out, by Ethereum's rule: no chain is known to rise faster. */
function followingBaseFee({ baseFeePerGas, gasUsedRatio }: FeeBlock): bigint {
  const gasTarget = 1_000_000n
  return nextBaseFee({ baseFeePerGas, gasTarget, gasUsed: BigInt(Math.round(gasUsedRatio * 2_000_000)) })
}

function ratioOf(value: unknown): number {
  const ratio = Number(value)
  return ratio > 0 ? Math.min(ratio, 1) : 0
}

function rewardsOf(row: unknown, length: number): readonly bigint[] | undefined {
  const rewards = quantities(row).filter((reward) => reward !== undefined)
  return rewards.length === length && length > 0 ? rewards : undefined
}
