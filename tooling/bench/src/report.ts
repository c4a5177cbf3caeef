import { type Bar, judgeBars } from './bars.ts'
import { batchCall, blockCall, cachedCall, smallCall, socketCall } from './calls.ts'
import { printSummaryTable } from './summary-table.ts'
import { type Measurement, type Metric, quietPercent, ratiosTo, type Scenario, series } from './measurement.ts'
import { summarise } from './statistics.ts'
import { printTable } from './table.ts'
import type { TimedStage } from './time-stages.ts'

/** The result of one run. */
export interface BenchResult {
  /** yyyy-mm-dd */
  readonly date: string
  readonly command: string
  readonly machine: readonly (readonly [string, string])[]
  /** Why the numbers prove nothing; undefined if they do. */
  readonly caveat: string | undefined
  readonly rounds: number
  readonly seconds: number
  readonly rate: number
  readonly connections: number
  readonly subscribers: number
  /** Names in the order of the tables. */
  readonly subjects: readonly string[]
  /** Subjects that were left out, with the reason. */
  readonly skipped: readonly string[]
  readonly measurements: readonly Measurement[]
  /** Measurements that other processes disturbed, and that were repeated. */
  readonly discarded: readonly Measurement[]
  readonly stages: readonly TimedStage[]
}

/** Prints the result as Markdown that also reads well as plain text. */
export function printReport(result: BenchResult): string {
  const { measurements } = result
  const has = (scenario: Scenario): boolean => measurements.some((m) => m.scenario === scenario)
  const sections = [printHead(result)]
  if (has('small')) sections.push(printCpu(result, 'small', smallCall.title))
  if (has('block')) sections.push(printCpu(result, 'block', blockCall.title))
  if (has('rate')) sections.push(printLatency(result))
  if (has('cached')) sections.push(printCpu(result, 'cached', cachedCall.title))
  if (has('batch')) sections.push(printCpu(result, 'batch', `${batchCall.title}; of each call`))
  if (has('large')) sections.push(printLarge(result, 'large', '10 MB of logs, eight at once'))
  if (has('traces')) sections.push(printLarge(result, 'traces', '10 MB of traces, eight at once'))
  if (has('socket')) sections.push(printCpu(result, 'socket', socketCall.title))
  if (has('subscribers')) sections.push(printSubscribers(result))
  if (has('mix')) sections.push(printMix(result))
  if (result.stages.length > 0) sections.push(printStages(result.stages))
  if (measurements.length > 0)
    sections.push(printBars(judgeBars(measurements, result.stages)), printSummaryTable(measurements, result.subjects))
  return `${sections.join('\n\n')}\n`
}

function printHead(result: BenchResult): string {
  const lines = [`# Bench ${result.date}`, '']
  if (result.caveat !== undefined) lines.push(`**No measurement: ${result.caveat}.**`, '')
  lines.push(...result.machine.map(([name, value]) => `- ${name}: ${value}`), `- Command: \`${result.command}\``)
  if (result.measurements.length > 0) {
    lines.push(
      '',
      `${result.rounds} interleaved rounds, ${result.seconds} s for each measurement. Figures are medians of all rounds`,
      'with the least and the greatest; ratios are taken within each round.',
      '',
      ...describeDisturbance(result),
    )
  }
  for (const skipped of result.skipped) lines.push('', `Left out: ${skipped}.`)
  return lines.join('\n')
}

/** Describes the share that other processes took, which disturbs every figure, and nginx's most. */
function describeDisturbance({ measurements, discarded }: BenchResult): readonly string[] {
  const foreign = measurements.map((m) => m.values.foreignPercent ?? 0)
  const disturbed = foreign.filter((percent) => percent > quietPercent).length
  const lines = [
    `Other processes took ${printSummary(foreign, 0)} % of the machine's CPU time.`,
    `${discarded.length} measurements were discarded and repeated for more than ${quietPercent} %; of the ${foreign.length} reported, ${disturbed} had more.`,
  ]
  if (disturbed > foreign.length / 10) lines.push('', '**The machine was not quiet: measure again.**')
  return lines
}

function printCpu(
  result: BenchResult,
  scenario: 'small' | 'block' | 'cached' | 'batch' | 'socket',
  title: string,
): string {
  return [
    `## ${title}`,
    '',
    `Closed loop on ${result.connections} connections; CPU time of the subject's processes.`,
    '',
    printSubjects(result, scenario, [
      ['CPU µs/call', 'cpuMicros', 1],
      ['CPU / nginx', 'cpuMicros', 2, true],
      ['calls/s', 'perSecond', 0],
    ]),
  ].join('\n')
}

function printLatency(result: BenchResult): string {
  const late = summarise(result.measurements.flatMap((m) => m.values.lateMicros ?? [])).median
  return [
    `## Latency at ${result.rate} calls/s`,
    '',
    `${smallCall.title}; counted from when each call was due.`,
    `The generator's own lateness, ${late.toFixed(0)} µs at the median, is part of every figure.`,
    '',
    printSubjects(result, 'rate', [
      ['p50 µs', 'p50Micros', 0],
      ['p50 / nginx', 'p50Micros', 2, true],
      ['p99 µs', 'p99Micros', 0],
      ['p99 / nginx', 'p99Micros', 2, true],
      ['CPU µs/call', 'cpuMicros', 1],
    ]),
  ].join('\n')
}

function printLarge(result: BenchResult, scenario: 'large' | 'traces', title: string): string {
  return [
    `## ${title}`,
    '',
    printSubjects(result, scenario, [
      ['MB/s', 'megabytesPerSecond', 0],
      ['MB/s / nginx', 'megabytesPerSecond', 2, true],
      ['CPU µs/call', 'cpuMicros', 0],
      ['CPU / nginx', 'cpuMicros', 2, true],
      ['peak MB', 'peakMegabytes', 0],
    ]),
  ].join('\n')
}

function printSubscribers(result: BenchResult): string {
  return [
    `## ${result.subscribers} subscribers to heads, one a second`,
    '',
    'Latency is counted from when the node made the head until it has reached a subscriber.',
    '',
    printSubjects(result, 'subscribers', [
      ['CPU µs/event', 'cpuMicros', 1],
      ['p50 µs', 'p50Micros', 0],
      ['p99 µs', 'p99Micros', 0],
      ['peak MB', 'peakMegabytes', 0],
    ]),
  ].join('\n')
}

function printMix(result: BenchResult): string {
  return [
    '## A realistic mix',
    '',
    'Of 1,000 requests: 430 hot contract reads, 220 calls that are never the same, 200 for heads, 100 for hot receipts, 48 batches of 20 of these,',
    '2 for logs of 1 MB. A block every 2 s.',
    '',
    printSubjects(result, 'mix', [
      ['CPU µs/call', 'cpuMicros', 1],
      ['CPU / nginx', 'cpuMicros', 2, true],
      ['calls/s', 'perSecond', 0],
      ['not upstream %', 'cachedPercent', 1],
    ]),
  ].join('\n')
}

type Column = readonly [title: string, metric: Metric, digits: number, ratio?: boolean]

function printSubjects(result: BenchResult, scenario: Scenario, columns: readonly Column[]): string {
  const rows = result.subjects.map((subject) => [
    subject,
    ...columns.map(([, metric, digits, ratio]) => {
      const values = (ratio === true ? ratiosTo : series)(result.measurements, subject, scenario, metric)
      return printSummary(values, digits)
    }),
  ])
  return printTable(['', ...columns.map(([title]) => title)], rows)
}

function printSummary(values: readonly number[], digits: number): string {
  if (values.length === 0) return '-'
  const { median, min, max } = summarise(values)
  return `${median.toFixed(digits)} (${min.toFixed(digits)}..${max.toFixed(digits)})`
}

function printStages(stages: readonly TimedStage[]): string {
  const sum = (pick: (stage: TimedStage) => number): number =>
    stages.reduce((total, stage) => total + (stage.isAside ? 0 : pick(stage)), 0)
  const row = (name: string, micros: number, allowance: number): string[] => [
    name,
    micros.toFixed(2),
    allowance.toFixed(2),
    micros <= allowance ? 'within' : 'over',
  ]
  return [
    '## Stages of the gateway',
    '',
    'Each alone, in one process. The sum is that of a call which the cache lets pass.',
    '',
    printTable(
      ['', 'CPU µs/call', 'allowance', ''],
      [
        ...stages.map((stage) => row(stage.name, stage.micros, stage.allowanceMicros)),
        row(
          'sum',
          sum((stage) => stage.micros),
          sum((stage) => stage.allowanceMicros),
        ),
      ],
    ),
  ].join('\n')
}

function printBars(bars: readonly Bar[]): string {
  return [
    '## Bars',
    '',
    printTable(
      ['gateway', 'target', 'measured', ''],
      bars.map((bar) => [bar.name, bar.target, bar.measured, bar.verdict]),
    ),
  ].join('\n')
}
