import type { OpenTraffic, TrafficPort, TrafficStep, TrafficTimes } from '@wayleave/admin-api'
import type { Clock } from '@wayleave/jsonrpc-core'
import { quantile, type ReadSeries } from '@wayleave/telemetry'
import { answerSeconds } from './families.ts'
import type { Metrics, NetworkOpenCalls } from './metrics.ts'
import { createTrafficRing, type TrafficRing, type TrafficSample } from './traffic-ring.ts'

/** The traffic of the last hour in steps of 10 s, and of the last day in minutes. */
export interface Traffic extends TrafficPort {
  /** Begins to count, from now on. */
  begin(): void
  close(): void
}

const stepMs = 10_000
const minuteMs = 60_000
const mostSteps = 360
const mostMinutes = 1_440
const bucketCount = answerSeconds.length + 1
const [call, seconds, cache, sockets, streams] = [
  'wayleave_calls_total',
  'wayleave_call_seconds',
  'wayleave_cache_answers_total',
  'wayleave_websocket_connections',
  'wayleave_event_streams',
]

/** Creates it; no timer runs before `begin`. It reads what metrics have counted, those of workers included, and takes differences. */
export function createTraffic({
  metrics,
  clock,
}: {
  readonly metrics: Pick<Metrics, 'read' | 'readOpenCalls'>
  readonly clock: Pick<Clock, 'date' | 'after'>
}): Traffic {
  const steps = createTrafficRing(mostSteps, bucketCount)
  const minutes = createTrafficRing(mostMinutes, bucketCount)
  const ringOf = (step: TrafficStep): TrafficRing => (step === minuteMs ? minutes : steps)
  const differences = createDifferences()
  let minute: Counts | undefined
  let since = clock.date()
  let stop = (): void => {}

  /** Counts what has come since the last time. */
  function count(at: number): Counts {
    const counts = emptyCounts(at)
    const grown = differences.begin()
    for (const { labels, value } of metrics.read(call)) {
      const more = grown(call, labels, [value as number])[0]!
      counts.calls += more
      if (labels[2] === 'upstream' || labels[2] === 'gateway') counts.errors += more
    }
    for (const { labels, value } of metrics.read(seconds)) {
      const more = grown(seconds, labels, (value as Exclude<typeof value, number>).counts)
      for (const [i, each] of more.entries()) counts.times[i]! += each
    }
    for (const { labels, value } of metrics.read(cache)) {
      const more = grown(cache, labels, [value as number])[0]!
      counts.cacheAsked += more
      if (labels[2] !== 'miss') counts.cacheHits += more
    }
    return counts
  }

  function sample(at: number): void {
    const counts = count(at)
    const open = { sockets: sum(metrics.read(sockets)), streams: sum(metrics.read(streams)) }
    steps.push(sampleOf(counts, open))
    const begun = beginOf(at, minuteMs)
    // Its last step may have been late, and is in the next one.
    if (minute !== undefined && minute.at !== begun) minutes.push(sampleOf(minute, open))
    minute = minute?.at === begun ? added(minute, counts) : { ...counts, at: begun }
    if (at + stepMs !== begun + minuteMs) return
    minutes.push(sampleOf(minute, open))
    minute = undefined
  }

  /** Counts at the end of each step of the wall clock. */
  function wait(end: number): void {
    stop = clock.after(Math.max(0, end - clock.date()), () => {
      const now = clock.date()
      // A timer may be early or late, and the clock may have been set.
      const isSetBack = now < end - stepMs / 2
      const reached = isSetBack ? beginOf(now, stepMs) : Math.max(end, beginOf(now, stepMs))
      sample(reached - stepMs)
      wait(reached + stepMs)
    })
  }

  return {
    get since() {
      return since
    },
    points: (step, from, to) => ringOf(step).between(from, to),
    times: (step, from, to) => timesOf(ringOf(step).timesBetween(from, to)),
    open: () => openOf(metrics.readOpenCalls()),
    begin() {
      since = clock.date()
      count(since)
      wait(beginOf(since, stepMs) + stepMs)
    },
    close: () => stop(),
  }
}

function beginOf(at: number, length: number): number {
  return at - (at % length)
}

/** The counts of one step. */
interface Counts {
  readonly at: number
  calls: number
  errors: number
  cacheHits: number
  cacheAsked: number
  /** Calls by the buckets of their times. */
  readonly times: number[]
}

function emptyCounts(at: number): Counts {
  const times = Array.from({ length: bucketCount }, () => 0)
  return { at, calls: 0, errors: 0, cacheHits: 0, cacheAsked: 0, times }
}

function added(a: Counts, b: Counts): Counts {
  return {
    at: a.at,
    calls: a.calls + b.calls,
    errors: a.errors + b.errors,
    cacheHits: a.cacheHits + b.cacheHits,
    cacheAsked: a.cacheAsked + b.cacheAsked,
    times: a.times.map((each, i) => each + b.times[i]!),
  }
}

function sampleOf(
  { at, calls, errors, cacheHits, cacheAsked, times }: Counts,
  open: Pick<TrafficSample, 'sockets' | 'streams'>,
): TrafficSample {
  return { at, calls, errors, p50: msOf(0.5, times), p99: msOf(0.99, times), times, cacheHits, cacheAsked, ...open }
}

function msOf(q: number, times: readonly number[]): number {
  return quantile(q, times, answerSeconds) * 1_000
}

function timesOf(times: readonly number[]): TrafficTimes {
  const [p50, p99] = [msOf(0.5, times), msOf(0.99, times)]
  return Number.isNaN(p50) ? {} : { p50, p99 }
}

function openOf(networks: readonly NetworkOpenCalls[]): OpenTraffic {
  const calls = networks.reduce((all, each) => all + each.calls, 0)
  if (calls === 0) return { calls }
  const oldest = networks.reduce((most, each) => (each.oldestSeconds > most.oldestSeconds ? each : most))
  return { calls, oldestMs: Math.round(oldest.oldestSeconds * 1_000), network: oldest.network }
}

/** Tells how far the counts of a series have grown since the time before; one that is smaller began anew. */
type Grown = (name: string, labels: readonly string[], counts: readonly number[]) => readonly number[]

function createDifferences(): { begin(): Grown } {
  let before = new Map<string, readonly number[]>()
  return {
    begin() {
      const last = before
      // Series that are gone are forgotten.
      const now = (before = new Map())
      return (name, labels, counts) => {
        const key = [name, ...labels].join('\0')
        const known = last.get(key) ?? []
        now.set(key, counts)
        const isNew = counts.some((each, i) => each < (known[i] ?? 0))
        return isNew ? counts : counts.map((each, i) => each - (known[i] ?? 0))
      }
    },
  }
}

function sum(series: readonly ReadSeries[]): number {
  return series.reduce((all, { value }) => all + (value as number), 0)
}
