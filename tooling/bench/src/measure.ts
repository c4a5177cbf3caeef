import { availableParallelism } from 'node:os'
import type { CallKind } from './calls.ts'
import type { BenchClock } from './defaults.ts'
import { BenchError } from './error.ts'
import { Load } from './load/load.ts'
import type { Measurement } from './measurement.ts'
import { cpuNanos, machineNanos, peakBytes, processTree, resetPeak } from './process-usage.ts'
import { percentile } from './statistics.ts'
import type { Subject } from './subjects/subject.ts'
import type { Upstream } from './subjects/upstream.ts'

/** How one measurement is taken. */
export interface MeasureOptions {
  readonly subject: Subject
  readonly upstream: Upstream
  readonly kind: CallKind
  readonly connections: number
  readonly clock: BenchClock
  readonly nextId: () => number
  /** How long calls are measured, in ms. */
  readonly ms: number
  /** How long calls are made first on the same connections, unmeasured, in ms. */
  readonly leadInMs: number
  /** Whether the subject has a cache, so that calls which one may answer must not go upstream. Default: no. */
  readonly caches?: boolean
  /** Checks nothing that was asked upstream: the cache is only being filled. Default: it is checked. */
  readonly isCold?: boolean
}

/** The most of the calls of a kind that may be cached that go upstream through a cache: the gateway's own questions, and a first one. */
const mostUncached = 0.02

/** Without a kind, its caller judges how many calls went upstream. */
type AccountOptions = Omit<MeasureOptions, 'kind' | 'connections' | 'nextId' | 'ms' | 'leadInMs'> & {
  readonly kind?: CallKind
}

type Values = Measurement['values']

/** Measures CPU and throughput of calls sent one after the other on each connection; with `peak`, peak memory too. */
export async function measureClosedLoop(options: MeasureOptions & { readonly peak: boolean }): Promise<Values> {
  await using load = await openLoad(options)
  const pids = pidsOf(options)
  if (options.peak) resetPeak(pids)
  const { batch = 1 } = options.kind
  const { calls, elapsedMs, usage } = await account(options, pids, async () => {
    const looped = await load.closedLoop(options.ms)
    return { ...looped, calls: looped.calls * batch }
  })
  const perSecond = calls / (elapsedMs / 1000)
  if (!options.peak) return { ...usage, perSecond }
  return {
    ...usage,
    perSecond,
    megabytesPerSecond: (perSecond * options.kind.tail.length) / 1e6,
    ...(pids.length > 0 && { peakMegabytes: peakBytes(pids) / 1e6 }),
  }
}

/** Measures latency and CPU of `rate` calls a second. */
export async function measureFixedRate(options: MeasureOptions & { readonly rate: number }): Promise<Values> {
  await using load = await openLoad(options)
  const pids = pidsOf(options)
  const { latencies, lateness, usage } = await account(options, pids, () => load.fixedRate(options.rate, options.ms))
  return {
    ...usage,
    p50Micros: percentile(latencies, 50) * 1000,
    p99Micros: percentile(latencies, 99) * 1000,
    lateMicros: percentile(lateness, 50) * 1000,
  }
}

/** The processes of a subject; none where nothing stands before the node. */
export function pidsOf({ subject }: Pick<MeasureOptions, 'subject'>): readonly number[] {
  return subject.pid === undefined ? [] : processTree(subject.pid)
}

async function openLoad(options: MeasureOptions): Promise<Load> {
  const { subject, kind, connections, clock, nextId, leadInMs } = options
  const load = await Load.open({ subject: subject.name, target: subject.target, kind, connections, clock, nextId })
  try {
    await load.closedLoop(leadInMs)
    return load
  } catch (error) {
    load.close()
    throw error
  }
}

/** Runs calls between two readings of CPU time, and checks that each went upstream. */
export async function account<T extends { readonly calls: number }>(
  { subject, upstream, kind, clock, caches = false, isCold = false }: AccountOptions,
  pids: readonly number[],
  run: () => Promise<T>,
): Promise<T & { readonly usage: Values; readonly uncached: number }> {
  const children = processTree(process.pid).slice(1)
  const ownNanos = (): bigint => cpuNanos(children) + BigInt(Math.round(clock.cpu() * 1e6))
  const servedBefore = await upstream.served()
  const before = { at: clock.now(), machine: machineNanos(), own: ownNanos(), subject: cpuNanos(pids) }
  const result = await run()
  const nanos = Number(cpuNanos(pids) - before.subject)
  const foreign = Number(machineNanos() - before.machine - (ownNanos() - before.own))
  const available = (clock.now() - before.at) * 1e6 * availableParallelism()
  const served = (await upstream.served()) - servedBefore
  // One without a cache may still share calls that are on their way.
  if (kind === undefined) {
    // The mix is its own judge.
  } else if (kind.isCached === true) {
    if (caches && !isCold && served > result.calls * mostUncached + 20) {
      const asked = `${served} of ${result.calls} calls went upstream`
      throw new BenchError(
        'wrong_answer',
        `${subject.name}, ${kind.method}: answers of its cache were expected, ${asked}`,
      )
    }
  } else if (served < result.calls) {
    throw new BenchError(
      'wrong_answer',
      `${subject.name}, ${kind.method}: ${result.calls} uncached calls were expected upstream, ${served} came`,
    )
  }
  // Ticks are coarser than nanoseconds: on a quiet machine the difference may fall a little below 0.
  const foreignPercent = Math.max(0, (100 * foreign) / available)
  const cpuMicros = nanos / 1000 / result.calls
  const uncached = Math.min(1, served / result.calls)
  return { ...result, uncached, usage: pids.length === 0 ? { foreignPercent } : { cpuMicros, foreignPercent } }
}
