import type { Profile } from './profile.ts'
import type { Random } from './random.ts'

/** A transaction in the mempool; prices in wei per gas. */
export interface Pending {
  readonly maxTip: number
  readonly maxFee: number
  readonly gas: number
  /** The last block before it is withdrawn. */
  readonly expires: number
}

/** A block as its builder left it. */
export interface FilledBlock {
  readonly gasUsed: number
  /** The lowest public tip included if there was no room for one more; else the least a builder takes. */
  readonly marginalTip: number
  /** The tip at half of the public gas; undefined if there is none. */
  readonly middleTip: number | undefined
  /** The transactions left in the mempool. */
  readonly left: readonly Pending[]
  /** The tip of the transaction at this percentile of the block's gas, 0 if it is empty. Source: `eth_feeHistory`. */
  tipAt(percentile: number): number
}

/** A block with less gas left had no room for an ordinary transaction. */
const ordinaryGas = 150_000

/** Fills a block as a builder does: private bundles first, then the highest tips, as long as they fit. */
export function fillBlock(
  profile: Pick<Profile, 'gasLimit' | 'leastTip' | 'privateFlow' | 'unheard'>,
  random: Random,
  pool: readonly Pending[],
  baseFee: number,
): FilledBlock {
  const { gasLimit, leastTip } = profile
  const privateGas = Math.round(gasLimit * Math.min(0.5, profile.privateFlow * -Math.log(1 - random.next())))
  const offered = pool.map((transaction) => ({
    transaction,
    tip: Math.min(transaction.maxTip, transaction.maxFee - baseFee),
    heard: !random.chance(profile.unheard),
  }))
  offered.sort((a, b) => b.tip - a.tip)
  const left: Pending[] = []
  const taken: { readonly tip: number; readonly gas: number }[] = []
  let gasUsed = privateGas
  for (const { transaction, tip, heard } of offered) {
    const fits = gasUsed + transaction.gas <= gasLimit
    if (tip >= leastTip && heard && fits) {
      taken.push({ tip, gas: transaction.gas })
      gasUsed += transaction.gas
    } else {
      left.push(transaction)
    }
  }
  taken.reverse()
  return {
    gasUsed,
    marginalTip: gasLimit - gasUsed < ordinaryGas ? (taken[0]?.tip ?? leastTip) : leastTip,
    middleTip: tipAtGas(taken, (gasUsed - privateGas) / 2),
    left,
    tipAt: (percentile) => tipAtGas([{ tip: 0, gas: privateGas }, ...taken], (gasUsed * percentile) / 100) ?? 0,
  }
}

/** Finds the first of ascending tips at which this much gas is reached. */
function tipAtGas(taken: readonly { readonly tip: number; readonly gas: number }[], gas: number): number | undefined {
  let sum = 0
  for (const { tip, gas: each } of taken) {
    sum += each
    if (each > 0 && sum >= gas) return tip
  }
  return taken.at(-1)?.tip
}
