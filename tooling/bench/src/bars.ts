import { type Measurement, ratiosTo, series } from './measurement.ts'
import { median } from './statistics.ts'
import { type TimedStage, wholeWay } from './time-stages.ts'

/** A promise about the gateway, and its measurement. */
export interface Bar {
  readonly name: string
  readonly target: string
  readonly measured: string
  readonly verdict: 'met' | 'not met' | 'not judged'
}

/** The most CPU time of a scenario, by that of a peer in the same rounds. */
const mostCpu = [
  { name: 'CPU of a small uncached call', scenario: 'small', of: 'nginx', most: 3 },
  { name: 'CPU of a small uncached call', scenario: 'small', of: 'eRPC', most: 0.32 },
  { name: 'CPU of an uncached call, 2 kB result', scenario: 'block', of: 'nginx', most: 3.2 },
  { name: 'CPU of an uncached call, 2 kB result', scenario: 'block', of: 'eRPC', most: 0.32 },
  { name: 'CPU of a cached read', scenario: 'cached', of: 'nginx', most: 1.5 },
  { name: 'CPU of a cached read', scenario: 'cached', of: 'eRPC', most: 0.35 },
  { name: 'CPU of a call of a batch', scenario: 'batch', of: 'eRPC', most: 0.1 },
  { name: 'CPU of a call over a WebSocket', scenario: 'socket', of: 'nginx', most: 3.5 },
  { name: 'CPU, 10 MB of logs', scenario: 'large', of: 'nginx', most: 1.5 },
  { name: 'CPU, 10 MB of traces', scenario: 'traces', of: 'nginx', most: 1.5 },
] as const
const large = [
  { name: '10 MB of logs', scenario: 'large' },
  { name: '10 MB of traces', scenario: 'traces' },
] as const
const mostMegabytes = 170
const mostMicrosOfBatch = 15
/** How far the cost of a call may lie from that of its parts, on either side. */
const mostBeside = 0.15

/**
 * Judges the gateway's bars: ratios by their median, the peak of memory by the highest of all rounds. Without nginx,
 * eRPC or the gateway in a scenario its bars are not judged.
 */
export function judgeBars(measurements: readonly Measurement[], stages: readonly TimedStage[]): readonly Bar[] {
  return [
    ...mostCpu.map(({ name, scenario, of, most }) =>
      judgeMost(name, most, ratiosTo(measurements, 'gateway', scenario, 'cpuMicros', of), `x ${of}`),
    ),
    judgeMost(
      'CPU of a call of a batch',
      mostMicrosOfBatch,
      series(measurements, 'gateway', 'batch', 'cpuMicros'),
      'µs',
    ),
    ...large.flatMap(({ name, scenario }) => [
      judgeAhead(`MB/s, ${name}`, ratiosTo(measurements, 'gateway', scenario, 'megabytesPerSecond', 'eRPC')),
      judgePeak(`Peak memory, eight of ${name}`, series(measurements, 'gateway', scenario, 'peakMegabytes')),
    ]),
    judgeSum(measurements, stages),
  ]
}

/** Holds a small call against its parts, each measured alone: HTTP on both sides, as the bare proxy has it, and all between them. */
function judgeSum(measurements: readonly Measurement[], stages: readonly TimedStage[]): Bar {
  const [bare, whole] = (['bare-proxy', 'gateway'] as const).map((each) =>
    series(measurements, each, 'small', 'cpuMicros'),
  )
  const between = stages.find(({ name }) => name === wholeWay)
  const isMeasured = bare!.length > 0 && whole!.length > 0 && between !== undefined
  const ratios = isMeasured ? [(median(bare!) + between.micros) / median(whole!)] : []
  const target = `from ${1 - mostBeside} to ${1 + mostBeside} x the call`
  const isMet = (ratio: number): boolean => Math.abs(ratio - 1) <= mostBeside
  return judge('the bare proxy and the way from body to reply', target, ratios, 'x the call', median, isMet)
}

function judgeMost(name: string, most: number, ratios: readonly number[], unit: string): Bar {
  return judge(name, `at most ${most} ${unit}`, ratios, unit, median, (ratio) => ratio <= most)
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
