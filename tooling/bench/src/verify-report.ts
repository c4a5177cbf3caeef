import type { Summary } from './statistics.ts'
import { printTable } from './table.ts'
import { judgeVerify, type VerifyResult } from './verify-measure.ts'

/** The date and machine of a result. */
export interface VerifyRun {
  /** yyyy-mm-dd */
  readonly date: string
  readonly machine: readonly (readonly [string, string])[]
}

/** Prints the result as Markdown that also reads well as plain text. */
export function printVerify(result: VerifyResult, { date, machine }: VerifyRun): string {
  const { transactions, types, rounds, figures, shapeMs, headerMicros } = result
  const mix = Object.entries(types).map(([type, count]) => `${count} of type ${type}`)
  const rows = figures.map(({ name, ms, ratio }) => [name, ...cells(ms, 0), ...cells(ratio, 2)])
  const bars = judgeVerify(result).map(({ name, target, measured, isMet }) => [
    name,
    target,
    measured,
    isMet ? 'met' : 'not met',
  ])
  const sections = [
    `# Verification ${date}`,
    machine.map(([name, value]) => `- ${name}: ${value}`).join('\n'),
    `A block of ${transactions} transactions (${mix.join(', ')}), all really signed, with its receipts, parsed from JSON before.\n` +
      'Each library takes what a node answered and verifies every hash, every sender, the root of the transactions and the root of\n' +
      `the receipts. CPU time of one process, ${rounds} interleaved rounds; ratios are taken within each round.`,
    `## A full block\n\n${printTable(['library', 'ms', 'least to greatest', 'of ours', 'least to greatest'], rows)}`,
    figures.map(({ name, what }) => `- ${name}: ${what}.`).join('\n'),
    `## Parts\n\n${printTable(
      ['part', 'median', 'least to greatest'],
      [
        ['`blockSchema` on the block, ms', ...cells(shapeMs, 2)],
        ['`headerHash`, µs', ...cells(headerMicros, 1)],
      ],
    )}`,
    `## Bars\n\n${printTable(['bar', 'target', 'measured', 'verdict'], bars)}`,
  ]
  return `${sections.join('\n\n')}\n`
}

function cells({ median, min, max }: Summary, digits: number): string[] {
  return [median.toFixed(digits), `${min.toFixed(digits)} to ${max.toFixed(digits)}`]
}
