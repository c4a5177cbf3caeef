import { styleText } from 'node:util'
import type { SuggestedGasFees } from '@wayleave/gas-fees'

export type Level = 'low' | 'medium' | 'high'

export const levels: readonly Level[] = ['low', 'medium', 'high']

export interface GasView {
  readonly fees: SuggestedGasFees
  /** Base fees of the newest blocks in gwei, oldest first, then that of the next block. */
  readonly baseFees: readonly string[]
  readonly shown: readonly Level[]
  readonly stream: NodeJS.WriteStream
}

const arrows = { up: '↑ rising', down: '↓ falling', level: '→ level' } as const
const bars = '▁▂▃▄▅▆▇█'
const colours = { low: 'green', medium: 'yellow', high: 'red' } as const
/** The width of the labels before the values and the sparkline. */
const labelWidth = 14

/** Prints levels, base fee and congestion as the lines of a table, coloured if the stream shows colour. */
export function gasTable({ fees, baseFees, shown, stream }: GasView): readonly string[] {
  const bold = (text: string): string => styleText('bold', text, { stream })
  const faint = (text: string): string => styleText('dim', text, { stream })
  const maxFees = onePoint(
    shown.map((level) => fees[level].suggestedMaxFeePerGas),
    'max fee'.length,
  )
  const tips = onePoint(
    shown.map((level) => fees[level].suggestedMaxPriorityFeePerGas),
    'tip'.length,
  )
  const rows = shown.map((level, i) => {
    const { minWaitTimeEstimate, maxWaitTimeEstimate } = fees[level]
    const wait = waitOf(minWaitTimeEstimate, maxWaitTimeEstimate)
    return `  ${styleText(colours[level], level.padEnd(labelWidth - 4), { stream })}  ${maxFees[i]}  ${tips[i]}  ${wait}`
  })
  const [feeWidth, tipWidth] = [maxFees[0]!.length, tips[0]!.length]
  const label = (text: string): string => `  ${bold(text.padEnd(labelWidth - 2))}`
  const [least, most] = fees.latestPriorityFeeRange
  const drawn = baseFees.slice(-sparkWidth(stream))
  return [
    faint(`  ${'gwei'.padEnd(labelWidth - 4)}  ${'max fee'.padEnd(feeWidth)}  ${'tip'.padEnd(tipWidth)}  wait`),
    ...rows,
    '',
    `${label('base fee')}${fees.estimatedBaseFee}  ${faint(arrows[fees.baseFeeTrend])}`,
    `${label('')}${styleText('cyan', sparkline(drawn), { stream })}  ${faint(`${drawn.length} blocks`)}`,
    `${label('congestion')}${gauge(fees.networkCongestion)}  ${Math.round(fees.networkCongestion * 100)} %`,
    `${label('tips lately')}${least} to ${most}  ${faint(arrows[fees.priorityFeeTrend])}`,
  ]
}

function sparkWidth({ columns }: NodeJS.WriteStream): number {
  return Math.max(8, Math.min(60, (columns || 80) - labelWidth - 12))
}

/** Aligns amounts by their decimal points and pads them to one width, at least `least`. */
export function onePoint(amounts: readonly string[], least: number): readonly string[] {
  const parts = amounts.map((amount) => amount.split('.') as [string, string?])
  const left = Math.max(...parts.map(([whole]) => whole.length))
  const lines = parts.map(([whole, rest]) => whole.padStart(left) + (rest === undefined ? '' : `.${rest}`))
  const width = Math.max(least, ...lines.map((line) => line.length))
  return lines.map((line) => line.padEnd(width))
}

/** Draws a bar for each amount, scaled from the least to the greatest. */
export function sparkline(amounts: readonly string[]): string {
  const values = amounts.map(Number)
  const least = Math.min(...values)
  const span = Math.max(...values) - least
  return values.map((value) => bars[span === 0 ? 0 : Math.round(((value - least) / span) * (bars.length - 1))]).join('')
}

function gauge(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * 20)
  return '█'.repeat(full) + '░'.repeat(20 - full)
}

/** Prints a range of waits: `12 s`, `15 to 60 s`, `12 s to 2 min`. */
function waitOf(leastMs: number, mostMs: number): string {
  const [least, most] = [durationOf(leastMs), durationOf(mostMs)]
  if (least.join() === most.join()) return least.join(' ')
  return least[1] === most[1] ? `${least[0]} to ${most.join(' ')}` : `${least.join(' ')} to ${most.join(' ')}`
}

function durationOf(ms: number): readonly [number: string, unit: string] {
  if (ms < 1_000) return [String(ms), 'ms']
  if (ms < 120_000) return [String(Math.round(ms / 100) / 10), 's']
  return [String(Math.round(ms / 6_000) / 10), 'min']
}
