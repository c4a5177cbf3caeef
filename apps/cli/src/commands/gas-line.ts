import type { SuggestedGasFees } from '@wayleave/gas-fees'
import type { Level } from './gas-table.ts'

/** A suggestion in one line: `baseFee=16.28 trend=up congestion=0.51 low=16.33/0.05 medium=…`. */
export function gasLine(fees: SuggestedGasFees, shown: readonly Level[]): string {
  const offers = shown.map((level) => {
    const { suggestedMaxFeePerGas, suggestedMaxPriorityFeePerGas } = fees[level]
    return `${level}=${suggestedMaxFeePerGas}/${suggestedMaxPriorityFeePerGas}`
  })
  const { estimatedBaseFee, baseFeeTrend, networkCongestion } = fees
  return `baseFee=${estimatedBaseFee} trend=${baseFeeTrend} congestion=${networkCongestion} ${offers.join(' ')}`
}
