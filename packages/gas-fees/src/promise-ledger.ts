import type { FeeBlock } from './fee-history.ts'
import { assertPercentiles } from './rewards.ts'
import type { FeeAnswer } from './source/fee-answer.ts'
import type { FeeLevel, FeeOffer, FeePromise, FeeStrategy } from './strategy.ts'

/** The offers that were made when a block was the newest. */
export interface OfferedBlock {
  readonly number: number
  readonly hash: string
  /** When the block was made, as Unix time in ms. */
  readonly date: number
  /** Wei per gas. */
  readonly baseFeePerGas: bigint
  readonly offers: Readonly<Record<FeeLevel, FeeOffer>>
}

/** The offers of one level: included in time, not included in time, and those whose blocks are still to come. */
export interface PromiseTally {
  readonly kept: number
  readonly broken: number
  readonly pending: number
}

/** The outcome of one promise; `unknown`: no block that told its tips included the offer, and not all of them did. */
export type PromiseOutcome = 'kept' | 'broken' | 'pending' | 'unknown'

/** Judges what a source has promised, while it follows its chain. It asks no node, and reads no clock. */
export interface PromiseLedger {
  /** Takes the offers of a new answer, and judges those before it. `marks`: the blocks of its chain whose hashes are known, ascending. */
  take(answer: Omit<FeeAnswer, 'fees' | 'promises' | 'print'>, marks: readonly Mark[]): void
  /** The outcomes so far; undefined where the strategy promises nothing. One whose blocks are not all known counts nowhere. */
  tallies(): Readonly<Record<FeeLevel, PromiseTally>> | undefined
  /** The last 300 offers that were made, oldest first, without those of blocks that were replaced or may have been. */
  readonly blocks: readonly OfferedBlock[]
  /** The date of the first block with an offer; undefined before there was one. */
  readonly since: number | undefined
}

interface Mark {
  readonly number: number
  readonly hash: string
}

const levels = ['low', 'medium', 'high'] as const
/** The judge of promises: an offer is included by a block of which it reaches the base fee and this percentile of the tips. */
const judge = 25
/** Blocks after its last one with which an outcome is final: a source finds no ancestor farther back. */
const finalAfter = 64
/** The most blocks whose offers are kept: more than those whose outcome is not final. */
const mostBlocks = 300

type Counts = Record<FeeLevel, { kept: number; broken: number }>

/**
 * Creates a ledger, to be given to one source of that strategy.
 * @throws GasFeesError `missing_percentiles` for promises of a strategy that does not read percentile 25
 */
export function createPromiseLedger(strategy: FeeStrategy): PromiseLedger {
  const { promises, percentiles } = strategy
  if (promises !== undefined) assertPercentiles({ percentiles }, [judge])
  const longest = promises === undefined ? 0 : Math.max(...levels.map((level) => promises[level].withinBlocks))
  let offered: readonly OfferedBlock[] = []
  let known: readonly FeeBlock[] = []
  let place = 0
  let since: number | undefined
  /** The number of the newest block whose outcomes are in `final`. */
  let finalUpTo = -1
  const final: Counts = { low: none(), medium: none(), high: none() }

  function outcomeOf(block: OfferedBlock, level: FeeLevel): PromiseOutcome {
    return judgePromise(block.offers[level], promises![level], blocksAfter(block.number, known), place)
  }

  function settleUpTo(number: number): void {
    for (const block of offered) {
      if (block.number > number) return
      if (block.number <= finalUpTo) continue
      finalUpTo = block.number
      for (const level of levels) {
        const outcome = outcomeOf(block, level)
        if (outcome === 'kept' || outcome === 'broken') final[level][outcome]++
      }
    }
  }

  return {
    take(answer, marks) {
      const { blockNumber: number, blockHash: hash, blockDate: date, history } = answer
      known = history.blocks
      place = history.percentiles.indexOf(judge)
      offered = offered.filter((block) => isOnChain(block, marks))
      // A chain that began anew counts from its own blocks on.
      finalUpTo = Math.min(finalUpTo, number - 1)
      if (promises !== undefined) settleUpTo(number - longest - finalAfter)
      if (offered.at(-1)?.hash === hash) return
      // Those of the answer's suggestion, most of which nobody may ask for.
      const offers = strategy.offers(history)
      const { baseFeePerGas } = known.at(-1)!
      offered = [...offered, { number, hash, date, baseFeePerGas, offers }].slice(-mostBlocks)
      since ??= date
    },
    tallies() {
      if (promises === undefined) return undefined
      const open = offered.filter(({ number }) => number > finalUpTo)
      const tallyOf = (level: FeeLevel): PromiseTally => {
        const tally = { ...final[level], pending: 0 }
        for (const block of open) {
          const outcome = outcomeOf(block, level)
          if (outcome !== 'unknown') tally[outcome]++
        }
        return tally
      }
      return { low: tallyOf('low'), medium: tallyOf('medium'), high: tallyOf('high') }
    },
    get blocks() {
      return offered
    },
    get since() {
      return since
    },
  }
}

/**
 * Judges an offer by the blocks after it, the next one first: one of the promised ones must have had a base fee and tips that let it in.
 * `place`: that of percentile 25 in the rewards of the blocks.
 */
export function judgePromise(
  offer: FeeOffer,
  { withinBlocks }: Pick<FeePromise, 'withinBlocks'>,
  after: readonly FeeBlock[] | undefined,
  place: number,
): PromiseOutcome {
  if (after === undefined) return 'unknown'
  let isUnknown = false
  for (const { baseFeePerGas, rewards } of after.slice(0, withinBlocks)) {
    const threshold = rewards?.[place]
    const room = offer.maxFeePerGas - baseFeePerGas
    const tip = room < offer.maxPriorityFeePerGas ? room : offer.maxPriorityFeePerGas
    if (tip < 0n) continue
    if (threshold === undefined) isUnknown = true
    else if (tip >= threshold) return 'kept'
  }
  if (after.length < withinBlocks) return 'pending'
  return isUnknown ? 'unknown' : 'broken'
}

/** The known blocks after a number; undefined where the first of them is not known. */
function blocksAfter(number: number, blocks: readonly FeeBlock[]): readonly FeeBlock[] | undefined {
  const first = blocks[0]!.number
  return number + 1 < first ? undefined : blocks.slice(number + 1 - first)
}

/** Whether the marks do not tell otherwise. Every block with an offer was the newest once, so that a mark was made of it. */
function isOnChain({ number, hash }: OfferedBlock, marks: readonly Mark[]): boolean {
  if (number < marks[0]!.number) return true
  return marks.find((mark) => mark.number === number)?.hash === hash
}

function none(): { kept: number; broken: number } {
  return { kept: 0, broken: 0 }
}
