import type { FeeLevel, FeeOffer } from '@wayleave/gas-fees'
import { judges } from './judge.ts'
import { historyAt } from './market.ts'
import type { RecordedMarket } from './recorded.ts'
import { type Contender, effectiveTip } from './replay.ts'

/** What someone offers right after the newest block of a recording; nobody recorded what came of it. */
export interface EndingOffer {
  readonly market: string
  readonly who: string
  readonly level: FeeLevel
  readonly offer: FeeOffer
  /** What it would pay in the next block, in wei per gas; undefined where it does not cover the base fee. */
  readonly price: bigint | undefined
  /** By judge: the share of the last {@link lookedBack} blocks whose threshold the tip reaches. */
  readonly reached: Readonly<Record<string, number>>
}

/** How many blocks tell whether a tip is high or low. */
export const lookedBack = 100

/** Infura's own suggestion beside those of the contenders, at the moment when it was made. */
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
