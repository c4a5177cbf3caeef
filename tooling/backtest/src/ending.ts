import type { FeeLevel, FeeOffer } from '@wayleave/gas-fees'
import { judges } from './judge.ts'
import { historyAt } from './market.ts'
import type { RecordedMarket } from './recorded.ts'
import { type Contender, effectiveTip } from './replay.ts'

/** An offer made right after the newest block of a recording, so that its fate is not recorded. */
export interface EndingOffer {
  readonly market: string
  readonly who: string
  readonly level: FeeLevel
  readonly offer: FeeOffer
  /** Its price in the next block, in wei per gas; undefined if it does not cover the base fee. */
  readonly price: bigint | undefined
  /** The share, by judge, of the last {@link lookedBack} blocks whose threshold the tip reaches. */
  readonly reached: Readonly<Record<string, number>>
}

/** The number of blocks that tell whether a tip is high or low. */
export const lookedBack = 100

/** Compares Infura's own suggestion with those of the contenders at the same moment. */
export function compareEndings(market: RecordedMarket, contenders: readonly Contender[]): readonly EndingOffer[] {
  const last = market.blocks.length - 1
  const rows = contenders.flatMap(({ strategy, levels }) => {
    const offers = strategy.offers(historyAt(market, last, strategy.window))
    return levels.map((level) => describe(market, strategy.name, level, offers[level]))
  })
  const infura = (['low', 'medium', 'high'] as const).map((level) =>
    describe(market, 'Infura', level, market.infura[level]),
  )
  return [...infura, ...rows]
}

function describe(market: RecordedMarket, who: string, level: FeeLevel, offer: FeeOffer): EndingOffer {
  const tip = effectiveTip(offer, market.nextBaseFeePerGas)
  const reached = judges.map((judge) => {
    const recent = judge.thresholds(market).slice(-lookedBack)
    return [judge.name, recent.filter((threshold) => tip >= threshold).length / recent.length] as const
  })
  return {
    market: market.name,
    who,
    level,
    offer,
    price: tip < 0n ? undefined : market.nextBaseFeePerGas + tip,
    reached: Object.fromEntries(reached),
  }
}
