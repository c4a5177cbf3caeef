import { type FeeLevel, metamask, wayleave } from '@wayleave/gas-fees'
import type { Market } from './market.ts'
import type { Measurement } from './measurement.ts'
import { createPeers } from './peers/peers.ts'
import { type Contender, replay } from './replay.ts'

const levels: readonly FeeLevel[] = ['low', 'medium', 'high']

/** Lists the rules for a market's chain: ours first, then those it is compared with. */
export function contendersIn({ node }: Pick<Market, 'node'>): readonly Contender[] {
  return [
    { strategy: wayleave, levels },
    { strategy: metamask, levels },
    ...createPeers(node).map((strategy) => ({ strategy, levels: ['medium'] as const })),
  ]
}

/** Replays each market with every contender; reports its progress in lines. */
export function backtest(markets: readonly Market[], progress: (line: string) => void): readonly Measurement[] {
  return markets.flatMap((market) => {
    progress(`${market.name}: ${market.blocks.length} blocks`)
    return replay(market, contendersIn(market), (blocks) => {
      if (blocks % 4000 === 0) progress(`${market.name}: ${blocks} blocks done`)
    })
  })
}
