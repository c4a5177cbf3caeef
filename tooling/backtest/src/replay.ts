import type { FeeBlock, FeeLevel, FeeOffer, FeeStrategy } from '@wayleave/gas-fees'
import { judges } from './judge.ts'
import { historyAt, type Market } from './market.ts'
import type { Measurement } from './measurement.ts'
import { type Regime, regimes, regimesOf } from './regime.ts'

/** A strategy in a replay, and the levels that count: a rule that makes only one offer competes as `medium`. */
export interface Contender {
  readonly strategy: FeeStrategy
  readonly levels: readonly FeeLevel[]
}

/** How many blocks a transaction is watched for; after that it counts as missed. */
export const horizon = 30

/** The first offer is made when this many blocks are known, so that all strategies are judged on the same blocks. */
export const warmUp = 200

/** A judge's view of all offers, or of those made in one state of the market. */
interface Seat {
  readonly judge: string
  readonly thresholds: readonly bigint[]
  readonly regime?: Regime
}

interface Tally {
  readonly waits: number[]
  paid: number
  sufficient: number
  reserve: number
  included: number
}

/**
 * Has each contender make an offer after each block of the market, and each judge watch the following blocks for it. An
 * offer knows the blocks up to then and the next base fee. The deciding judge is also asked by regime. Calls `onProgress` with the number of blocks done, every
 * 1,000 blocks.
 * @throws RangeError if the market is too short for a single offer.
 */
export function replay(
  market: Market,
  contenders: readonly Contender[],
  onProgress: (blocks: number) => void = () => {},
): readonly Measurement[] {
  const { blocks } = market
  const last = blocks.length - horizon - 1
  if (last < warmUp - 1) {
    throw new RangeError(`${warmUp + horizon} blocks or more were expected of ${market.name}, ${blocks.length} came`)
  }
  const whole: readonly Seat[] = judges.map(({ name, thresholds }) => ({ judge: name, thresholds: thresholds(market) }))
  const states = regimesOf(market, whole[0]!.thresholds)
  const seats = [...whole, ...regimes.map((regime): Seat => ({ ...whole[0]!, regime }))]
  const entries = contenders.map(({ strategy, levels }) => ({
    strategy,
    levels: levels.map((level) => ({ level, tallies: seats.map(() => newTally()) })),
  }))
  for (let index = warmUp - 1; index <= last; index += 1) {
    for (const { strategy, levels } of entries) {
      const offers = strategy.offers(historyAt(market, index, strategy.window))
      for (const { level, tallies } of levels) {
        for (const [seat, { thresholds, regime }] of seats.entries()) {
          if (regime === undefined || regime === states[index]) {
            watch(blocks, index, offers[level], thresholds, tallies[seat]!)
          }
        }
      }
    }
    if ((index + 1) % 1000 === 0) onProgress(index + 1)
  }
  return entries.flatMap(({ strategy, levels }) =>
    levels.flatMap(({ level, tallies }) =>
      tallies.map((tally, seat) => ({
        market: market.name,
        strategy: strategy.name,
        level,
        judge: seats[seat]!.judge,
        ...(seats[seat]!.regime !== undefined && { regime: seats[seat]!.regime }),
        ...summarise(tally),
      })),
    ),
  )
}

/** The tip that an offer leaves the builder of a block with this base fee; negative if it does not cover the base fee. */
export function effectiveTip({ maxFeePerGas, maxPriorityFeePerGas }: FeeOffer, baseFeePerGas: bigint): bigint {
  const rest = maxFeePerGas - baseFeePerGas
  return rest < maxPriorityFeePerGas ? rest : maxPriorityFeePerGas
}

function watch(
  blocks: readonly FeeBlock[],
  index: number,
  offer: FeeOffer,
  thresholds: readonly bigint[],
  tally: Tally,
): void {
  for (let wait = 0; wait < horizon; wait += 1) {
    const { baseFeePerGas } = blocks[index + 1 + wait]!
    const threshold = thresholds[index + 1 + wait]!
    const tip = effectiveTip(offer, baseFeePerGas)
    if (tip < 0n || tip < threshold) continue
    const paid = Number(baseFeePerGas + tip)
    tally.waits[wait]! += 1
    tally.included += 1
    tally.paid += paid
    tally.sufficient += Number(baseFeePerGas + threshold)
    tally.reserve += paid === 0 ? 1 : Number(offer.maxFeePerGas) / paid
    return
  }
  tally.waits[horizon]! += 1
}

function newTally(): Tally {
  return { waits: Array<number>(horizon + 1).fill(0), paid: 0, sufficient: 0, reserve: 0, included: 0 }
}

function summarise({ waits, paid, sufficient, reserve, included }: Tally) {
  const offers = waits.reduce((sum, count) => sum + count, 0)
  if (included === 0) return { offers, waits, overpaid: undefined, overpaidGwei: undefined, reserve: undefined }
  return {
    offers,
    waits,
    overpaid: sufficient === 0 ? undefined : (paid - sufficient) / sufficient,
    overpaidGwei: (paid - sufficient) / included / 1e9,
    reserve: reserve / included,
  }
}
