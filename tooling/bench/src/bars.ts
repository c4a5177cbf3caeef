import { type Measurement, ratiosTo, type Scenario, series } from './measurement.ts'
import { median } from './statistics.ts'

/** A promise about the gateway, and its measurement. */
export interface Bar {
  readonly name: string
  readonly target: string
  readonly measured: string
  readonly verdict: 'met' | 'not met' | 'not judged'
}

const mostOfNginx = [
  { name: 'CPU of a small uncached call', subject: 'gateway', scenario: 'small', most: 2.8 },
  { name: 'the same, plain gateway', subject: 'plain gateway', scenario: 'small', most: 2.6 },
  { name: 'CPU of an uncached call, 2 kB result', subject: 'gateway', scenario: 'block', most: 3 },
] as const
const large = [
  { name: '10 MB of logs', scenario: 'large' },
  { name: '10 MB of traces', scenario: 'traces' },
] as const
const leastOfNginx = 0.75
const mostMegabytes = 150
const mostOfErpc = [
  { name: 'CPU of a small uncached call', scenario: 'small', most: 0.42 },
  { name: 'CPU of an uncached call, 2 kB result', scenario: 'block', most: 0.4 },
  { name: 'CPU of a cached read', scenario: 'cached', most: 0.35 },
] as const
const mostOfSingle = 0.7

/**
 * Judges the gateway's bars: ratios by their median, the peak of memory by the highest of all rounds. Without nginx,
 * eRPC or the gateway in a scenario its bars are not judged.
 */
export function judgeBars(measurements: readonly Measurement[]): readonly Bar[] {
  const cpuRatios = (subject: string, scenario: Scenario, to: string): readonly number[] =>
    ratiosTo(measurements, subject, scenario, 'cpuMicros', to)
  const rateRatios = (scenario: Scenario, to: string): readonly number[] =>
    ratiosTo(measurements, 'gateway', scenario, 'megabytesPerSecond', to)
  return [
    ...mostOfNginx.map(({ name, subject, scenario, most }) =>
      judgeMost(name, most, cpuRatios(subject, scenario, 'nginx'), 'x nginx'),
    ),
    ...large.flatMap(({ name, scenario }) => [
      judgeLeast(`MB/s, ${name}`, leastOfNginx, rateRatios(scenario, 'nginx')),
      judgeAhead(`MB/s, ${name}`, rateRatios(scenario, 'eRPC')),
      judgePeak(`Peak memory, eight of ${name}`, series(measurements, 'gateway', scenario, 'peakMegabytes')),
    ]),
    ...mostOfErpc.map(({ name, scenario, most }) =>
      judgeMost(name, most, cpuRatios('gateway', scenario, 'eRPC'), 'x eRPC'),
    ),
    judgeMost('CPU of a call of a batch', mostOfSingle, batchRatios(measurements), 'x a single one'),
  ]
}

/** CPU of a call of a batch over that of a small call alone, by the medians: they are measured one after the other. */
function batchRatios(measurements: readonly Measurement[]): readonly number[] {
  const [batch, single] = (['batch', 'small'] as const).map((each) =>
    series(measurements, 'gateway', each, 'cpuMicros'),
  )
  return batch!.length === 0 || single!.length === 0 ? [] : [median(batch!) / median(single!)]
}

function judgeMost(name: string, most: number, ratios: readonly number[], unit: string): Bar {
  return judge(name, `at most ${most} ${unit}`, ratios, unit, median, (ratio) => ratio <= most)
}

function judgeLeast(name: string, least: number, ratios: readonly number[]): Bar {
  return judge(name, `at least ${least} x nginx`, ratios, 'x nginx', median, (ratio) => ratio >= least)
}

function judgeAhead(name: string, ratios: readonly number[]): Bar {
  return judge(name, 'over 1 x eRPC', ratios, 'x eRPC', median, (ratio) => ratio > 1)
}

function judgePeak(name: string, peaks: readonly number[]): Bar {
  const highest = (values: readonly number[]): number => Math.max(...values)
  return judge(name, `at most ${mostMegabytes} MB`, peaks, 'MB', highest, (peak) => peak <= mostMegabytes)
}

function judge(
  name: string,
  target: string,
  values: readonly number[],
  unit: string,
  reduce: (values: readonly number[]) => number,
  isMet: (value: number) => boolean,
): Bar {
  if (values.length === 0) return { name, target, measured: '-', verdict: 'not judged' }
  const value = reduce(values)
  return { name, target, measured: `${value.toFixed(2)} ${unit}`, verdict: isMet(value) ? 'met' : 'not met' }
}
