import { type FeeLevel, wayleave } from '@wayleave/gas-fees'
import { judges } from './judge.ts'
import { historyAt, type Market } from './market.ts'
import { effectiveTip } from './replay.ts'

/** How one level did while few blocks were known, by the deciding judge. */
export interface ColdStart {
  readonly market: string
  readonly level: FeeLevel
  /** Blocks known, 1 to {@link mostKnown}. */
  readonly known: number
  /** The share of offers that kept its promise. */
  readonly share: number
  /** The pay of included offers beyond base fee and threshold, as a share of these. */
  readonly overpaid: number
}

export const mostKnown = 12

/** Makes an offer after each block of a market as if only the newest few were known, and what its node suggests, where that was recorded. */
export function measureColdStart(market: Market & { readonly nodeTip?: bigint }): readonly ColdStart[] {
  const thresholds = judges[0]!.thresholds(market)
  const levels = Object.entries(wayleave.promises ?? {}) as [FeeLevel, { withinBlocks: number }][]
  return levels.flatMap(([level, { withinBlocks }]) =>
    Array.from({ length: mostKnown }, (_, i) => {
      const known = i + 1
      const sums = { offers: 0, kept: 0, paid: 0, sufficient: 0 }
      for (let at = mostKnown - 1; at < market.blocks.length - withinBlocks; at += 1) {
        sums.offers += 1
        const offer = wayleave.offers({ ...historyAt(market, at, known), nodePriorityFeePerGas: market.nodeTip })[level]
        for (let wait = 1; wait <= withinBlocks; wait += 1) {
          const { baseFeePerGas } = market.blocks[at + wait]!
          const tip = effectiveTip(offer, baseFeePerGas)
          const threshold = thresholds[at + wait]!
          if (tip < 0n || tip < threshold) continue
          sums.kept += 1
          sums.paid += Number(baseFeePerGas + tip)
          sums.sufficient += Number(baseFeePerGas + threshold)
          break
        }
      }
      return {
        market: market.name,
        level,
        known,
        share: sums.kept / sums.offers,
        overpaid: sums.paid / sums.sufficient - 1,
      }
    }),
  )
}
