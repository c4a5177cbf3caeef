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
const throughputRatio = 0.7
const peakMegabytes = 160

/** Judges `subject`: CPU ratio at most 3 (10 % tolerance), 0.7 of nginx's MB/s, a peak under 160 MB in every round. */
export function judgeBars(measurements: readonly Measurement[], subject = 'gateway'): readonly Bar[] {
  return [
    judgeCpu('CPU of a small uncached call', ratiosTo(measurements, subject, 'small', 'cpuMicros')),
    judgeCpu('CPU of an uncached call, 2 kB result', ratiosTo(measurements, subject, 'block', 'cpuMicros')),
    judgeThroughput(ratiosTo(measurements, subject, 'large', 'megabytesPerSecond')),
    judgePeak(series(measurements, subject, 'large', 'peakMegabytes')),
  ]
}

function judgeCpu(name: string, ratios: readonly number[]): Bar {
  const target = `at most ${cpuRatio} x nginx (10 % tolerance)`
  return judge(name, target, ratios, 'x nginx', median, (ratio) => {
    if (ratio <= cpuRatio) return 'met'
    return ratio <= cpuRatio * (1 + tolerance) ? 'met within tolerance' : 'not met'
  })
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
