import { type Measurement, ratiosTo, series } from './measurement.ts'
import { median } from './statistics.ts'

/** A promise about the gateway, and its measurement. */
export interface Bar {
  readonly name: string
  readonly target: string
  readonly measured: string
  readonly verdict: 'met' | 'met within tolerance' | 'not met' | 'not judged'
}

const cpuRatio = 3
const tolerance = 0.1
const mostOfErpc = [
  { scenario: 'small', name: 'CPU of a small uncached call', most: 0.42 },
  { scenario: 'block', name: 'CPU of an uncached call, 2 kB result', most: 0.4 },
  { scenario: 'cached', name: 'CPU of a cached read', most: 0.35 },
] as const
const mostOfSingle = 0.7
const throughputRatio = 0.7
const peakMegabytes = 160

/** Judges `subject`: CPU ratio at most 3 (10 % tolerance), 0.7 of nginx's MB/s, a peak under 160 MB in every round. */
export function judgeBars(measurements: readonly Measurement[], subject = 'gateway'): readonly Bar[] {
  return [
    judgeCpu('CPU of a small uncached call', ratiosTo(measurements, subject, 'small', 'cpuMicros')),
    judgeCpu('CPU of an uncached call, 2 kB result', ratiosTo(measurements, subject, 'block', 'cpuMicros')),
    judgeThroughput(ratiosTo(measurements, subject, 'large', 'megabytesPerSecond')),
    judgePeak(series(measurements, subject, 'large', 'peakMegabytes')),
    ...mostOfErpc.map(({ scenario, name, most }) =>
      judgeMost(name, most, ratiosTo(measurements, subject, scenario, 'cpuMicros', 'eRPC'), 'x eRPC'),
    ),
    judgeMost('CPU of a call of a batch', mostOfSingle, batchRatios(measurements, subject), 'x a single one'),
  ]
}

function judgeCpu(name: string, ratios: readonly number[]): Bar {
  const target = `at most ${cpuRatio} x nginx (10 % tolerance)`
  return judge(name, target, ratios, 'x nginx', median, (ratio) => {
    if (ratio <= cpuRatio) return 'met'
    return ratio <= cpuRatio * (1 + tolerance) ? 'met within tolerance' : 'not met'
  })
}

/** CPU of a call of a batch over that of a small call alone, by the medians: they are measured one after the other. */
function batchRatios(measurements: readonly Measurement[], subject: string): readonly number[] {
  const [batch, single] = (['batch', 'small'] as const).map((each) => series(measurements, subject, each, 'cpuMicros'))
  return batch!.length === 0 || single!.length === 0 ? [] : [median(batch!) / median(single!)]
}

function judgeMost(name: string, most: number, values: readonly number[], unit: string): Bar {
  return judge(name, `at most ${most} ${unit}`, values, unit, median, (ratio) => (ratio <= most ? 'met' : 'not met'))
}

function judgeThroughput(ratios: readonly number[]): Bar {
  const target = `at least ${throughputRatio} x nginx`
  return judge('MB/s of a 10 MB result', target, ratios, 'x nginx', median, (ratio) =>
    ratio >= throughputRatio ? 'met' : 'not met',
  )
}

function judgePeak(peaks: readonly number[]): Bar {
  const highest = (values: readonly number[]): number => Math.max(...values)
  return judge('Peak memory, eight 10 MB results at once', `under ${peakMegabytes} MB`, peaks, 'MB', highest, (peak) =>
    peak < peakMegabytes ? 'met' : 'not met',
  )
}

function judge(
  name: string,
  target: string,
  values: readonly number[],
  unit: string,
  reduce: (values: readonly number[]) => number,
  verdict: (value: number) => Bar['verdict'],
): Bar {
  if (values.length === 0) return { name, target, measured: '-', verdict: 'not judged' }
  const value = reduce(values)
  return { name, target, measured: `${value.toFixed(2)} ${unit}`, verdict: verdict(value) }
}
