import type { FeeBlock } from '@wayleave/gas-fees'
import type { Market } from '../market.ts'
import { nextBaseFee } from './base-fee.ts'
import { createCrowd } from './crowd.ts'
import { fillBlock, type Pending } from './fill-block.ts'
import type { Profile } from './profile.ts'
import { createRandom } from './random.ts'

/** The percentiles of `rewards` in simulated markets: those of the recorded ones. */
const percentiles: readonly number[] = Array.from({ length: 21 }, (_, step) => step * 5)

/** Blocks that are simulated before the first that counts, so that base fee and mempool have settled. */
const settling = 300

/** How many times a block's gas limit the mempool holds; the lowest tips are dropped first. */
const poolBlocks = 4

/**
 * Simulates a market of `blocks` blocks (default: the profile's number): senders come, builders fill blocks with the highest
 * tips, and the base fee follows. The same profile always gives the same market.
 */
export function simulate(profile: Profile, blocks: number = profile.blocks): Market {
  const random = createRandom(profile.seed)
  const crowd = createCrowd(profile, random)
  const kept: FeeBlock[] = []
  const marginalTips: bigint[] = []
  let baseFeePerGas = profile.baseFee.first
  let pool: Pending[] = []
  let middleTip = 0
  for (let number = 1; number <= settling + blocks; number += 1) {
    pool.push(...crowd.arrive(number, Number(baseFeePerGas), middleTip))
    const block = fillBlock(profile, random, pool, Number(baseFeePerGas))
    middleTip = block.middleTip ?? middleTip
    if (number > settling) {
      kept.push({
        number,
        baseFeePerGas,
        gasUsedRatio: block.gasUsed / profile.gasLimit,
        rewards: percentiles.map((percentile) => BigInt(block.tipAt(percentile))),
      })
      marginalTips.push(BigInt(block.marginalTip))
    }
    pool = keepWaiting(block.left, number, profile)
    baseFeePerGas = nextBaseFee(baseFeePerGas, block.gasUsed, profile.gasLimit, profile.baseFee)
  }
  return {
    name: profile.name,
    kind: 'simulated',
    node: profile.node,
    blockTimeMs: profile.blockTimeMs,
    percentiles,
    blocks: kept,
    nextBaseFeePerGas: baseFeePerGas,
    marginalTips,
  }
}

function keepWaiting(left: readonly Pending[], number: number, { gasLimit }: Profile): Pending[] {
  const waiting = left.filter((transaction) => transaction.expires > number)
  let gas = 0
  for (const transaction of waiting) gas += transaction.gas
  if (gas <= poolBlocks * gasLimit) return waiting
  waiting.sort((a, b) => b.maxFee - a.maxFee)
  gas = 0
  return waiting.filter((transaction) => (gas += transaction.gas) <= poolBlocks * gasLimit)
}
