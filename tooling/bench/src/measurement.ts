import { pairedRatios } from './statistics.ts'

/** The scenarios, in the order of the tables: closed loops of kinds of call, and small calls at a fixed rate. */
export const scenarios = [
  'small',
  'block',
  'rate',
  'cached',
  'batch',
  'large',
  'traces',
  'socket',
  'subscribers',
  'mix',
] as const
export type Scenario = (typeof scenarios)[number]

/**
 * CPU microseconds a call, calls a second, latency in microseconds, MB (10^6 bytes) a second, MB of peak memory,
 * the percentage of the calls that did not go upstream, and that of the machine's CPU time that went to processes other than the bench's.
 */
export type Metric =
  | 'cpuMicros'
  | 'perSecond'
  | 'p50Micros'
  | 'p99Micros'
  | 'lateMicros'
  | 'megabytesPerSecond'
  | 'peakMegabytes'
  | 'cachedPercent'
  | 'foreignPercent'

/** A measurement is disturbed if other processes take more of the machine than this. */
export const quietPercent = 5

/** One subject in one scenario of one round. */
export interface Measurement {
  readonly subject: string
  readonly scenario: Scenario
  readonly round: number
  readonly values: Readonly<Partial<Record<Metric, number>>>
}

/** A metric round by round; empty where it was not measured. */
export function series(
  measurements: readonly Measurement[],
  subject: string,
  scenario: Scenario,
  metric: Metric,
): readonly number[] {
  return measurements
    .filter((m) => m.subject === subject && m.scenario === scenario && m.values[metric] !== undefined)
    .toSorted((a, b) => a.round - b.round)
    .map((m) => m.values[metric]!)
}

/** A metric over that of another subject, nginx unless told otherwise, of the same round; empty where either was not measured. */
export function ratiosTo(
  measurements: readonly Measurement[],
  subject: string,
  scenario: Scenario,
  metric: Metric,
  to = 'nginx',
): readonly number[] {
  const values = series(measurements, subject, scenario, metric)
  const base = series(measurements, to, scenario, metric)
  return values.length === 0 || base.length === 0 ? [] : pairedRatios(values, base)
}
