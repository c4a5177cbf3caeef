import type { FeeBlock } from '../fee-history.ts'
import { rewardsAt } from '../rewards.ts'
import { risingOffers } from '../rising-offers.ts'
import { compare } from '../statistics.ts'
import type { FeeStrategy } from '../strategy.ts'

/** Takes the `rank`-th smallest tip that the last `blocks` paid at a percentile. */
interface Look {
  readonly percentile: number
  readonly blocks: number
  readonly rank: number
}

/** Takes the middle or the greatest tip of the few blocks known, with or without a margin. */
interface FirstLook {
  readonly percentile: number
  readonly takes: 'middle' | 'greatest'
  readonly hasMargin: boolean
}

/**
 * Each level's looks, of which the dearest tip is offered, and the steps of the base fee that it leaves room for.
 *
 * The long look keeps the promise while prices do not change: one more block asks more than the r-th of n blocks in
 * (n + 1 - r) / (n + 1) of cases, so `high` fails in 2/49, and `medium` three times in a row in (7/21)³. It ignores
 * what single blocks ask. The short look follows a rise at once; few blocks tell little, so it aims deeper into each.
 * The first look takes its place until {@link fewest} blocks are known; until then the node's own tip, which it made of more
 * blocks, is the least.
 */
const settings = {
  low: {
    long: { percentile: 30, blocks: 20, rank: 5 },
    short: { percentile: 30, blocks: 5, rank: 2 },
    first: { percentile: 30, takes: 'middle', hasMargin: false },
    steps: 3,
  },
  medium: {
    long: { percentile: 25, blocks: 20, rank: 14 },
    short: { percentile: 30, blocks: 5, rank: 3 },
    first: { percentile: 40, takes: 'middle', hasMargin: true },
    steps: 5,
  },
  high: {
    long: { percentile: 25, blocks: 48, rank: 47 },
    short: { percentile: 40, blocks: 5, rank: 4 },
    first: { percentile: 50, takes: 'greatest', hasMargin: true },
    steps: 7,
  },
} as const

const window = 200
/** Ranks of fewer blocks tell too little: their offers err upward. */
const fewest = 10
/** The newest blocks that show a climb, and the ones before that they are compared with. */
const climb = { newest: 4, before: 16 }

/**
 * This package's rule, made for inclusion on any chain. It has no amounts built in, and looks only at what the last blocks
 * paid. A promise is kept if the tip reaches the 25th percentile of an including block's tips, and the max fee its base fee.
 */
export const wayleave: FeeStrategy = {
  name: 'wayleave',
  promises: {
    low: { withinBlocks: 10, probability: 0.9 },
    medium: { withinBlocks: 3, probability: 0.95 },
    high: { withinBlocks: 1, probability: 0.95 },
  },
  window,
  fewestBlocks: fewest,
  percentiles: [10, 25, 30, 40, 50, 95],
  offers(history) {
    const blocks = history.blocks.slice(-window)
    const least = leastTip(blocks, history.nodePriorityFeePerGas)
    const rise = fastestRise(blocks.slice(-20), history.nextBaseFeePerGas)
    const paidIn = (look: Look): readonly bigint[] => rewardsAt(history, blocks, look.percentile).slice(-look.blocks)
    return risingOffers(history.nextBaseFeePerGas, (level) => {
      const { long, short, first, steps } = settings[level]
      const all = rewardsAt(history, blocks, short.percentile)
      const tips = [least, tipOf(long, paidIn(long)), tipOf(short, paidIn(short)), climbing(all)]
      if (all.length < fewest) {
        tips.push(cautiousTip(first, rewardsAt(history, blocks, first.percentile)), history.nodePriorityFeePerGas ?? 0n)
      }
      const tip = tips.reduce((a, b) => (a > b ? a : b))
      return { tip, baseFee: after(steps, history.nextBaseFeePerGas, rise) }
    })
  },
}

function tipOf({ blocks, rank }: Look, rewards: readonly bigint[]): bigint {
  const nth = Math.ceil(((rewards.length + 1) * rank) / (blocks + 1))
  return rewards.toSorted(compare)[Math.min(nth, rewards.length) - 1] ?? 0n
}

/**
 * Continues a climb, where a look back always comes too late: if two of the four newest blocks paid more than all sixteen
 * before, the greatest tip goes on rising by as much as it exceeds those; 0 if not. Plateaus and single dips hide no such
 * climb. Two such records come by chance in one of 32 cases, mostly small ones. The rise is capped at a half, and all of it
 * at the double of the second greatest tip, so that one block of a whale does not count.
 */
function climbing(rewards: readonly bigint[]): bigint {
  const newest = rewards.slice(-climb.newest).toSorted(compare)
  const before = rewards.slice(-climb.newest - climb.before, -climb.newest)
  const [second = 0n, greatest = 0n] = newest.slice(-2)
  const highest = before.reduce((a, b) => (a > b ? a : b), 0n)
  if (highest === 0n || second <= highest) return 0n
  const risen = 2n * greatest > 3n * highest ? (3n * greatest) / 2n : (greatest * greatest) / highest + 1n
  return risen > 2n * second ? 2n * second : risen
}

/** Errs upward by deep percentiles, and by a margin that shrinks as blocks come: the triple of one block's, 11/9 of nine. */
function cautiousTip({ takes, hasMargin }: FirstLook, rewards: readonly bigint[]): bigint {
  const known = rewards.length
  const tip = rewards.toSorted(compare)[takes === 'greatest' ? known - 1 : known >> 1] ?? 0n
  return hasMargin && known > 0 ? (tip * BigInt(known + 2)) / BigInt(known) : tip
}

/**
 * The least tip to offer. Empty blocks paid nothing, but builders may still want something: the least that was paid; where nobody
 * paid any, as much as the node suggests, or 1 wei.
 */
function leastTip(blocks: readonly FeeBlock[], nodeTip = 0n): bigint {
  let least = 0n
  for (const reward of blocks.flatMap((block) => block.rewards ?? [])) {
    if (reward > 0n && (least === 0n || reward < least)) least = reward
  }
  return least || nodeTip || 1n
}

type Ratio = readonly [numerator: bigint, denominator: bigint]

/**
 * The fastest rise of the base fee to expect from one block to the next: an eighth, which is Ethereum's limit, or more, up to
 * the double, if more was seen. Chains with smaller steps have faster blocks, and sending a transaction takes as long there.
 */
function fastestRise(blocks: readonly FeeBlock[], nextBaseFee: bigint): Ratio {
  let fastest: Ratio = [9n, 8n]
  for (const [i, { baseFeePerGas: from }] of blocks.entries()) {
    const to = blocks[i + 1]?.baseFeePerGas ?? nextBaseFee
    // Any base fee may rise by 1 wei.
    if ((to - 1n) * fastest[1] > from * fastest[0]) fastest = to > 2n * from ? [2n, 1n] : [to, from]
  }
  return fastest
}

function after(steps: number, baseFee: bigint, [numerator, denominator]: Ratio): bigint {
  const exponent = BigInt(steps)
  return (baseFee * numerator ** exponent) / denominator ** exponent + exponent
}
