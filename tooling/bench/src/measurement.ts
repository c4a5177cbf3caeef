import { pairedRatios } from './statistics.ts'

/** The scenarios: closed loops of four kinds of call, and small calls at a fixed rate. */
export type Scenario = 'small' | 'block' | 'rate' | 'large' | 'traces'

/**
 * CPU microseconds a call, calls a second, latency in microseconds, MB (10^6 bytes) a second, MB of peak memory, and
 * the percentage of the machine's CPU time that went to processes other than the bench's.
 */
export type Metric =
  | 'cpuMicros'
  | 'perSecond'
  | 'p50Micros'
  | 'p99Micros'
  | 'lateMicros'
  | 'megabytesPerSecond'
  | 'peakMegabytes'
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

/** A metric over nginx's of the same round; empty where either was not measured. */
export function ratiosToNginx(
  measurements: readonly Measurement[],
  subject: string,
  scenario: Scenario,
  metric: Metric,
): readonly number[] {
  const values = series(measurements, subject, scenario, metric)
  const base = series(measurements, 'nginx', scenario, metric)
  return values.length === 0 || base.length === 0 ? [] : pairedRatios(values, base)
}
