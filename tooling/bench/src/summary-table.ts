import { type Measurement, type Metric, ratiosTo, type Scenario, scenarios, series } from './measurement.ts'
import { median } from './statistics.ts'
import { printTable } from './table.ts'

const titles: Readonly<Record<Scenario, readonly [title: string, metric: Metric, digits: number]>> = {
  small: ['small call, CPU µs', 'cpuMicros', 1],
  block: ['2 kB, CPU µs', 'cpuMicros', 1],
  rate: ['small calls at a rate, p99 µs', 'p99Micros', 0],
  cached: ['cached read, CPU µs', 'cpuMicros', 1],
  batch: ['batch, CPU µs a call', 'cpuMicros', 1],
  large: ['10 MB of logs, MB/s', 'megabytesPerSecond', 0],
  traces: ['10 MB of traces, MB/s', 'megabytesPerSecond', 0],
  socket: ['WebSocket call, CPU µs', 'cpuMicros', 1],
  subscribers: ['subscribers, CPU µs an event', 'cpuMicros', 1],
  mix: ['mix, CPU µs a call', 'cpuMicros', 1],
}

/** Prints all scenarios in one table: medians, and the gateway over nginx and eRPC, round by round. */
export function printSummaryTable(measurements: readonly Measurement[], subjects: readonly string[]): string {
  const measured = scenarios.filter((scenario) => measurements.some((each) => each.scenario === scenario))
  const rows = measured.map((scenario) => {
    const [title, metric, digits] = titles[scenario]
    const values = subjects.map((subject) => print(series(measurements, subject, scenario, metric), digits))
    const over = (to: string): string => print(ratiosTo(measurements, 'gateway', scenario, metric, to), 2)
    return [title, ...values, over('nginx'), over('eRPC')]
  })
  return ['## All', '', printTable(['', ...subjects, 'gateway / nginx', 'gateway / eRPC'], rows)].join('\n')
}

function print(values: readonly number[], digits: number): string {
  return values.length === 0 ? '-' : median(values).toFixed(digits)
}
