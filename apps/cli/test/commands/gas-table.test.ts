import { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { WriteStream } from 'node:tty'
import type { SuggestedGasFees } from '@wayleave/gas-fees'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { coinOf } from '../../src/commands/coins.ts'
import { createGasScreen } from '../../src/commands/gas-screen.ts'
import { gasTable, levels, sparkline } from '../../src/commands/gas-table.ts'
import { totalTable } from '../../src/commands/gas-total.ts'

const level = (maxFee: string, tip: string, most: number): SuggestedGasFees['low'] => ({
  suggestedMaxFeePerGas: maxFee,
  suggestedMaxPriorityFeePerGas: tip,
  minWaitTimeEstimate: 12_000,
  maxWaitTimeEstimate: most,
})

const fees: SuggestedGasFees = {
  low: level('9.334', '0.05', 120_000),
  medium: level('22.083436402', '0.1', 36_000),
  high: level('127', '3', 12_000),
  estimatedBaseFee: '16.284026964',
  networkCongestion: 0.5125,
  latestPriorityFeeRange: ['0', '3'],
  historicalPriorityFeeRange: ['0.000000001', '89'],
  historicalBaseFeeRange: ['13.773088584', '29.912845463'],
  priorityFeeTrend: 'down',
  baseFeeTrend: 'up',
}

/** A stream as a terminal of 256 colours has it, that keeps what it was written. */
function terminal(columns = 80): NodeJS.WriteStream & { text: () => string } {
  let written = ''
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written += chunk.toString()
      done()
    },
  })
  const further = { isTTY: true, columns, getColorDepth: WriteStream.prototype.getColorDepth, text: () => written }
  return Object.assign(stream, further) as unknown as NodeJS.WriteStream & { text: () => string }
}

beforeEach(() => {
  vi.stubEnv('TERM', 'xterm-256color')
  for (const name of ['CI', 'FORCE_COLOR', 'NO_COLOR', 'NODE_DISABLE_COLORS']) vi.stubEnv(name, undefined)
})

afterEach(() => vi.unstubAllEnvs())

describe('the table of wayleave gas', () => {
  it('has the points of its amounts below each other, and shows what the base fee did', () => {
    const baseFees = ['1', '2', '3', '16.284026964']
    const lines = gasTable({ fees, baseFees, shown: levels, stream: terminal() }).map(stripVTControlCharacters)
    expect(lines).toEqual([
      '  gwei        max fee        tip   wait',
      '  low           9.334        0.05  12 s to 2 min',
      '  medium       22.083436402  0.1   12 to 36 s',
      '  high        127            3     12 s',
      '',
      '  base fee    16.284026964  ↑ rising',
      '              ▁▁▂█  4 blocks',
      '  congestion  ██████████░░░░░░░░░░  51 %',
      '  tips lately 0 to 3  ↓ falling',
    ])
  })

  it('has no colour where NO_COLOR is set', () => {
    const view = { fees, baseFees: ['1'], shown: levels }
    expect(gasTable({ ...view, stream: terminal() }).join('')).toContain('\x1b[32m')
    vi.stubEnv('NO_COLOR', '1')
    expect(gasTable({ ...view, stream: terminal() }).join('')).not.toContain('\x1b')
  })

  it('draws no more blocks than fit the terminal', () => {
    const baseFees = Array.from({ length: 500 }, (_, i) => String(i % 7))
    for (const columns of [40, 80, 200]) {
      const lines = gasTable({ fees, baseFees, shown: levels, stream: terminal(columns) })
      expect(stripVTControlCharacters(lines[6]!).length).toBeLessThanOrEqual(columns)
    }
  })
})

describe('a sparkline', () => {
  it('reaches from the least to the greatest, and is low where all are alike', () => {
    expect(sparkline(['0', '1', '2', '3', '4', '5', '6', '7'])).toBe('▁▂▃▄▅▆▇█')
    expect(sparkline(['5', '5'])).toBe('▁▁')
    expect(sparkline([])).toBe('')
  })
})

describe('the live table', () => {
  it('is drawn over itself, hides the cursor while it runs, and cuts lines that are too long', () => {
    const stream = terminal()
    const screen = createGasScreen(stream, ['1', '2'], levels)
    screen.show(fees)
    const once = stream.text()
    screen.show({ ...fees, estimatedBaseFee: '1' })
    screen.close()
    const height = once.split('\n').length - 1
    expect(stream.text().slice(once.length)).toMatch(new RegExp(`^\\x1b\\[${height}A\\r\\x1b\\[\\?7l`))
    expect(stream.text().startsWith('\x1b[?25l')).toBe(true)
    expect(stream.text().endsWith('\x1b[?7h\x1b[?25h')).toBe(true)
  })
})

describe('the table of a total', () => {
  const total = (wei: bigint): object => ({ total: wei + 500n, executionFee: wei, atMost: 3n * wei })

  it('has what each level costs in all, and for what', () => {
    const costs = { low: total(10n ** 13n), high: total(2n * 10n ** 14n) }
    const fee = {
      gasLimit: 21_000n,
      rollup: 'op',
      dataFee: 500n,
      operatorFee: 70n,
      ...costs,
      wayleave: { calibrated: false },
    }
    const lines = totalTable(fee as never, 'ETH', terminal()).map(stripVTControlCharacters)
    expect(lines).toEqual([
      '  ETH         total               execution  data                at most',
      '  low         0.0000100000000005  0.00001    0.0000000000000005  0.00003',
      '  high        0.0002000000000005  0.0002     0.0000000000000005  0.0006',
      '',
      '  gas limit   21000',
      '  operator    0.00000000000000007',
      '  rollup      OP stack',
    ])
  })

  it('is in the coin of the chain, where that is known', () => {
    expect(['0x1', '0x89', '0x1388', '0x7a69', undefined].map(coinOf)).toEqual(['ETH', 'POL', 'MNT', 'coin', 'coin'])
    const fee = { gasLimit: 1n, rollup: undefined, dataFee: 0n, operatorFee: 0n, low: total(1n) }
    const [head] = totalTable(fee as never, 'coin', terminal()).map(stripVTControlCharacters)
    expect(head).toMatch(/^ {2}coin /)
  })
})
