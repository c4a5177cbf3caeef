import type { FeeLevel } from '@wayleave/gas-fees'
import { type ColdStart, mostKnown } from '../cold-start.ts'
import { type Measurement, missedAfter } from '../measurement.ts'
import { regimes } from '../regime.ts'
import { percent } from './numbers.ts'
import type { BacktestResult } from './backtest-result.ts'
import { printTable } from './table.ts'

/** Shows how our levels and others' medium did while a market was calm, falling, rising or spiking. */
export function printRegimes({ markets, byRegime, promises }: BacktestResult): string {
  const levels = Object.keys(promises) as FeeLevel[]
  const within = promises.medium.withinBlocks
  const peers = [...new Set(byRegime.map(({ strategy }) => strategy))].filter((name) => name !== 'wayleave')
  const rows = markets.flatMap(({ name }) =>
    regimes.flatMap((regime) => {
      const here = byRegime.filter((each) => each.market === name && each.regime === regime && each.offers > 0)
      const find = (strategy: string, level: FeeLevel): Measurement | undefined =>
        here.find((each) => each.strategy === strategy && each.level === level)
      const ours = find('wayleave', 'medium')
      if (ours === undefined) return []
      const kept = levels.map((level) =>
        percent(1 - missedAfter(find('wayleave', level)!, promises[level].withinBlocks)),
      )
      const missed = peers.map((peer) => percent(missedAfter(find(peer, 'medium')!, within)))
      return [[name, regime, String(ours.offers), ...kept, percent(ours.overpaid), ...missed]]
    }),
  )
  return [
    '## Calm, falling, rising, spiking',
    `By \`p25\`. A market spikes where one of the next 3 blocks costs over twice the median of the last 20, and rises or falls where
the next 10 cost a tenth more or less. Ours: the share of offers that were included in time, and what medium overpaid;
others: the share of medium offers that ${within} blocks did not include.`,
    printTable(['data set', 'state', 'offers', ...levels, 'overpaid', ...peers], rows, 2),
  ].join('\n\n')
}

/** Shows how the promises are kept while only the newest few blocks are known. */
export function printColdStarts({ coldStarts }: BacktestResult): string {
  const groups = Map.groupBy(coldStarts, ({ market, level }) => `${market} ${level}`)
  const table = (name: string, cell: (each: ColdStart) => number): string => {
    const rows = [...groups].map(([title, group]) => [title, ...group.map((each) => percent(cell(each)))])
    return printTable([name, ...Array.from({ length: mostKnown }, (_, i) => `${i + 1}`)], rows)
  }
  return [
    '## With few known blocks',
    'The share of offers that kept their promise by `p25` where only so many blocks were known, and what they overpaid.',
    table('kept', ({ share }) => share),
    table('overpaid', ({ overpaid }) => overpaid),
  ].join('\n\n')
}
