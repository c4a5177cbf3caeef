import { highestP99, type Probe } from './measure/bars.ts'
import { disturbances } from './noise.ts'
import type { FamilyResult } from './run-family.ts'

const header = [
  '#',
  'family',
  'p99, idle',
  'p99, attacked',
  'bar',
  'failed',
  'peak over idle',
  'bar',
  'settled',
  'bar',
  'noise',
  'holds',
]

/** The kind of call that fared worst against its bar. */
function worstProbe({ probes, bars }: FamilyResult): Probe {
  const over = ({ idle, attacked }: Probe): number => attacked.p99 - highestP99({ ...bars, plusMs: 50 }, idle.p99)
  return probes.reduce((worst, probe) => (over(probe) > over(worst) ? probe : worst))
}

/** One line of the table: the worst kind of call and the memory, each beside its bar. */
function cellsOf(result: FamilyResult): readonly string[] {
  const { number, name, bars, memory, probes, noise, broken } = result
  const { idle, attacked } = worstProbe(result)
  const bar = highestP99(bars, idle.p99)
  const calls = probes.reduce((sum, probe) => sum + probe.attacked.calls, 0)
  const failures = probes.reduce((sum, probe) => sum + probe.attacked.failures, 0)
  return [
    `${number}`,
    name,
    `${idle.p99.toFixed(1)} ms`,
    `${attacked.p99.toFixed(0)} ms`,
    bar === Number.POSITIVE_INFINITY ? '-' : `${bar.toFixed(0)} ms`,
    `${failures} of ${calls}`,
    `${(memory.peak - memory.idle).toFixed(0)} MB`,
    `${bars.peakMegabytes} MB`,
    `${(memory.settled - memory.idle).toFixed(0)} MB`,
    `${bars.settledMegabytes} MB`,
    `${noise.foreign.toFixed(0)} %`,
    broken.length === 0 ? 'yes' : 'no',
  ]
}

/** Prints what a table does not hold: what broke, what was disturbed, what the attack did. One thing a line. */
export function detailsOf(result: FamilyResult): readonly string[] {
  const { cpu, tallies, noise, broken, settledAfter } = result
  const did = Object.entries(tallies).map(([what, count]) => `${what} ${count}`)
  const used = `CPU of the gateway ${cpu.gateway.toFixed(0)} %, of the attacker ${cpu.attacker.toFixed(0)} %`
  return [
    `${result.number} ${result.name}: ${worstProbe(result).kind} fared worst; ${used}; memory settled after ${settledAfter.toFixed(0)} s`,
    `  attack: ${did.join(', ') || 'nothing came of it'}`,
    ...broken.map((sentence) => `  broken: ${sentence}`),
    ...disturbances(noise).map((sentence) => `  noise: ${sentence}`),
  ]
}

/** Prints all results as a Markdown table, which reads well as text. */
export function printTable(results: readonly FamilyResult[]): string {
  const rows = results.map((result) => cellsOf(result))
  const widths = header.map((title, i) => Math.max(2, title.length, ...rows.map((row) => row[i]!.length)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => pad(cell, widths[i]!, i)).join(' | ')} |`
  const rule = `| ${widths.map((width, i) => (i === 1 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
  return [line(header), rule, ...rows.map(line)].join('\n')
}

const pad = (text: string, width: number, column: number): string =>
  column === 1 ? text.padEnd(width) : text.padStart(width)

/** Prints one result as a line for a pipe: the cells that a table has, named. */
export function printLine(result: FamilyResult): string {
  const [number, name, idle, p99, bar, failed, peak, peakBar, settled, settledBar, , holds] = cellsOf(result)
  return (
    `${number} ${name}: p99 ${p99} (idle ${idle}, bar ${bar}), failed ${failed}, ` +
    `peak ${peak} over idle (bar ${peakBar}), then ${settled} (bar ${settledBar}): ${holds === 'yes' ? 'holds' : 'does not hold'}`
  )
}
