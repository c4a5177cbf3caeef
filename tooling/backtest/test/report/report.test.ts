import { wayleave } from '@wayleave/gas-fees'
import { beforeAll, describe, expect, it } from 'vitest'
import { backtest, contendersIn } from '../../src/backtest.ts'
import { measureColdStart } from '../../src/cold-start.ts'
import { compareEndings } from '../../src/ending.ts'
import { readRecorded } from '../../src/recorded.ts'
import { digits, percent } from '../../src/report/numbers.ts'
import { drawPlot } from '../../src/report/plot.ts'
import type { BacktestResult } from '../../src/report/backtest-result.ts'
import { printReport } from '../../src/report/report.ts'
import { judgeDuels, judgePromises } from '../../src/verdict.ts'

let result: BacktestResult

beforeAll(async () => {
  const markets = (await readRecorded()).slice(0, 2).map((market) => ({ ...market, blocks: market.blocks.slice(-240) }))
  const { measurements, byRegime } = backtest(markets, () => {})
  const promises = wayleave.promises!
  result = {
    date: '2026-01-02',
    command: 'backtest --json',
    markets: markets.map(({ name, kind, blocks, node }) => ({ name, kind, blocks: blocks.length, node })),
    promises,
    measurements,
    byRegime,
    coldStarts: measureColdStart(markets[0]!),
    promiseVerdicts: judgePromises(measurements, wayleave.name, promises),
    duelVerdicts: judgeDuels(measurements, wayleave.name, promises.medium.withinBlocks),
    endings: markets.flatMap((market) => compareEndings(market, contendersIn(market))),
  }
})

describe('printReport', () => {
  it('shows each rule before each judge in each data set, and what Infura suggested', () => {
    const report = printReport(result)
    expect(report).toContain('# Backtest 2026-01-02\n\nCommand: `backtest --json`')
    for (const market of ['Ethereum', 'Base']) expect(report).toContain(`\n## ${market}\n`)
    for (const rule of ['wayleave low', 'wayleave high', 'metamask high', 'viem medium', 'ethers medium']) {
      // Twice in each data set, and once at its end.
      expect(report.match(new RegExp(`\\| (?:(?:Ethereum|Base) +\\| )?${rule} `, 'g'))).toHaveLength(6)
    }
    expect(report).toMatch(/\| Ethereum +\| Infura medium +\| +1\.50 \| +2\.53 \| +2\.27 \|/)
    expect(report).not.toMatch(/NaN|undefined|Infinity/)
  })

  it('says that an offer below the next base fee is too low', () => {
    expect(printReport(result)).toMatch(/\| Ethereum +\| Infura low +\| +0\.00127 \| +0\.722 \| too low \| +0\.0 %/)
  })
})

describe('drawPlot', () => {
  it('has a panel for each data set with a mark for each strategy, and names no number that is none', () => {
    const plot = drawPlot(result)
    expect(plot.match(/<g transform/g)).toHaveLength(2)
    for (const strategy of ['wayleave', 'metamask', 'viem', 'ethers', 'eth_gasPrice', 'alloy', 'foundry', 'frame']) {
      expect(plot.match(new RegExp(`<title>${strategy}</title>`, 'g'))).toHaveLength(2)
    }
    expect(plot).not.toMatch(/NaN|undefined|Infinity/)
  })
})

describe('numbers', () => {
  it('shows what is almost none or all as such', () => {
    expect([0, 0.0001, 0.0005, 0.5, 0.9994, 0.9999, 1, 12.3, undefined].map(percent)).toEqual([
      '0.0 %',
      '<0.1 %',
      '0.1 %',
      '50.0 %',
      '99.9 %',
      '>99.9 %',
      '100.0 %',
      '1230 %',
      '-',
    ])
    expect([0, 1234, 12.34, 0.001234, 1.6e-9, undefined].map(digits)).toEqual([
      '0',
      '1234',
      '12.3',
      '0.00123',
      '0.000000002',
      '-',
    ])
  })
})
