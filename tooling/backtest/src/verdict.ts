import type { FeeLevel, FeePromise } from '@wayleave/gas-fees'
import { type Measurement, missedAfter } from './measurement.ts'

/** Whether a level did what it promises, in one market before one judge. */
export interface PromiseVerdict {
  readonly market: string
  readonly judge: string
  readonly level: FeeLevel
  readonly promise: FeePromise
  /** The share of offers that were included in time. */
  readonly share: number
  readonly met: boolean
}

/** Whether our medium offer beats another rule in one market before one judge. */
export interface DuelVerdict {
  readonly market: string
  readonly judge: string
  readonly peer: string
  /** The shares of all offers that the next `withinBlocks` blocks did not include. */
  readonly missed: { readonly ours: number; readonly theirs: number }
  /** Shares of the price that would have sufficed; undefined if no offer was ever included. */
  readonly overpaid: { readonly ours: number | undefined; readonly theirs: number | undefined }
  /** Fewer misses, or none. */
  readonly fewerMissed: boolean
  readonly lessOverpaid: boolean
}

/** Judges each promise of the strategy that makes them. */
export function judgePromises(
  measurements: readonly Measurement[],
  strategy: string,
  promises: Readonly<Record<FeeLevel, FeePromise>>,
): readonly PromiseVerdict[] {
  return measurements
    .filter((each) => each.strategy === strategy)
    .map((each) => {
      const promise = promises[each.level]
      const share = 1 - missedAfter(each, promise.withinBlocks)
      return {
        market: each.market,
        judge: each.judge,
        level: each.level,
        promise,
        share,
        met: share >= promise.probability,
      }
    })
}

/** Compares the strategy's medium offers with each other rule's; an offer misses if `withinBlocks` blocks did not include it. */
export function judgeDuels(
  measurements: readonly Measurement[],
  strategy: string,
  withinBlocks: number,
): readonly DuelVerdict[] {
  const medium = measurements.filter((each) => each.level === 'medium')
  const ours = new Map(
    medium.filter((each) => each.strategy === strategy).map((each) => [`${each.market}/${each.judge}`, each]),
  )
  return medium
    .filter((each) => each.strategy !== strategy)
    .map((theirs) => {
      const mine = ours.get(`${theirs.market}/${theirs.judge}`)
      if (mine === undefined) throw new RangeError(`${strategy} was expected to be measured in ${theirs.market}, too`)
      const missed = { ours: missedAfter(mine, withinBlocks), theirs: missedAfter(theirs, withinBlocks) }
      const overpaid = { ours: mine.overpaid, theirs: theirs.overpaid }
      return {
        market: theirs.market,
        judge: theirs.judge,
        peer: theirs.strategy,
        missed,
        overpaid,
        fewerMissed: missed.ours < missed.theirs || missed.ours === 0,
        lessOverpaid: overpaid.ours !== undefined && (overpaid.theirs === undefined || overpaid.ours < overpaid.theirs),
      }
    })
}
