import type { OpenTraffic, Traffic, TrafficPoint } from '@wayleave/admin-api'
import { admin } from '../api/admin.ts'
import type { Range } from '../range.ts'

/** What the overview shows of a stretch of time. */
export interface OverviewData {
  readonly from: number
  readonly to: number
  /** The beginning of what is known, where that is later than `from`. */
  readonly since: number | undefined
  readonly step: number
  readonly at: readonly number[]
  /** In each step. */
  readonly calls: readonly number[]
  readonly errors: readonly number[]
  /** Only what this process measured has the rest. */
  readonly measured: readonly TrafficPoint[] | undefined
  /** The times of all its calls, in ms. */
  readonly p50?: number | undefined
  readonly p99?: number | undefined
  /** The calls that are open now. */
  readonly open?: OpenTraffic | undefined
  readonly credits: number | undefined
}

/** Loads what the overview shows. */
export async function loadOverview(range: Range, now: number, signal: AbortSignal): Promise<OverviewData> {
  const to = now - (now % range.step) + range.step
  const from = to - range.ms
  if (range.from === 'usage') return loadUsage(range, from, to, signal)
  const [traffic, credits] = await Promise.all([
    admin.traffic({ from, to, step: range.step === 10_000 ? 10_000 : 60_000 }, signal),
    // A gateway that keeps no usage has traffic all the same.
    creditsOf(range, from, to, signal).catch(() => undefined),
  ])
  return fromTraffic(traffic, from, to, credits)
}

async function creditsOf({ period }: Range, from: number, to: number, signal: AbortSignal): Promise<number> {
  const { items } = await admin.usage({ from, to, period }, signal)
  return items.reduce((sum, { credits }) => sum + credits, 0)
}

function fromTraffic(
  { step, since, p50, p99, open, items }: Traffic,
  from: number,
  to: number,
  credits: number | undefined,
): OverviewData {
  return {
    from,
    to,
    since: since > from ? since : undefined,
    step,
    at: items.map(({ at }) => at),
    calls: items.map(({ calls }) => calls),
    errors: items.map(({ errors }) => errors),
    measured: items,
    p50,
    p99,
    open,
    credits,
  }
}

async function loadUsage(
  { period, step }: Range,
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<OverviewData> {
  const { items, from: start } = await admin.usage({ from, to, period, by: ['at', 'status'], limit: 10_000 }, signal)
  const places = Array.from({ length: Math.ceil((to - start) / step) }, (_, i) => start + i * step)
  const calls = places.map(() => 0)
  const errors = places.map(() => 0)
  let credits = 0
  for (const sum of items) {
    credits += sum.credits
    const i = Math.floor(((sum.at ?? start) - start) / step)
    if (calls[i] === undefined) continue
    calls[i] += sum.calls
    if (sum.status?.startsWith('5') === true) errors[i]! += sum.calls
  }
  return { from: start, to, since: undefined, step, at: places, calls, errors, measured: undefined, credits }
}

/** Sums of the whole stretch of time. */
export interface Totals {
  readonly calls: number
  readonly errors: number
  readonly cacheHits: number
  readonly cacheAsked: number
  /** The p99 of the worst step, in ms. */
  readonly worstP99: number | undefined
  readonly sockets: number
  readonly streams: number
  /** Calls a second in the newest step: what was measured has whole ones only. */
  readonly rate: number
}

export function totalsOf({ calls, errors, measured = [], step }: OverviewData): Totals {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
  const timed = measured.filter(({ p99 }) => p99 !== undefined)
  const last = measured.at(-1)
  return {
    calls: sum(calls),
    errors: sum(errors),
    cacheHits: sum(measured.map(({ cacheHits }) => cacheHits)),
    cacheAsked: sum(measured.map(({ cacheAsked }) => cacheAsked)),
    worstP99: timed.length === 0 ? undefined : Math.max(...timed.map(({ p99 }) => p99!)),
    sockets: last?.sockets ?? 0,
    streams: last?.streams ?? 0,
    rate: ((calls.at(-1) ?? 0) * 1_000) / step,
  }
}
