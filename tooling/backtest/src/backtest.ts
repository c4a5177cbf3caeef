import { type FeeLevel, metamask, wayleave } from '@wayleave/gas-fees'
import type { Market } from './market.ts'
import type { Measurement } from './measurement.ts'
import { createPeers } from './peers/peers.ts'
import { type Contender, replay } from './replay.ts'

const levels: readonly FeeLevel[] = ['low', 'medium', 'high']

/** Lists the rules for a market's chain: ours first, then those it is compared with. */
export function contendersIn(market: Pick<Market, 'node' | 'chainId'>): readonly Contender[] {
  return [
    { strategy: wayleave, levels },
    { strategy: metamask, levels },
    ...createPeers(market).map((strategy) => ({
      strategy,
      levels: strategy.name === 'foundry' ? levels : (['medium'] as const),
    })),
  ]
}

/** All results, those by state of the market apart. */
export interface Measurements {
  readonly measurements: readonly Measurement[]
  readonly byRegime: readonly Measurement[]
}

/** Replays each market with every contender; reports its progress in lines. */
export function backtest(markets: readonly Market[], progress: (line: string) => void): Measurements {
  const all = markets.flatMap((market) => {
    progress(`${market.name}: ${market.blocks.length} blocks`)
    return replay(market, contendersIn(market), (blocks) => {
      if (blocks % 4000 === 0) progress(`${market.name}: ${blocks} blocks done`)
    })
  })
  return {
    measurements: all.filter(({ regime }) => regime === undefined),
    byRegime: all.filter(({ regime }) => regime !== undefined),
  }
}
