import { openSubscribers } from './load/subscribers.ts'
import { account, type MeasureOptions, pidsOf } from './measure.ts'
import type { Measurement } from './measurement.ts'
import { peakBytes } from './process-usage.ts'
import { percentile } from './statistics.ts'

/** Blocks that are watched at least: one each second. */
const leastMs = 3_000

/** Measures the CPU time of a told head, an event for each subscriber, and how late it comes. */
export async function measureSubscribers(
  options: MeasureOptions & { readonly subscribers: number },
): Promise<Measurement['values']> {
  const { subject, upstream, clock, subscribers } = options
  const pids = pidsOf(options)
  const open = await openSubscribers(subject.name, subject.target, subscribers, clock)
  try {
    // The first head may have been told to some alone.
    await open.watch(1_500)
    const watch = async (): Promise<{ calls: number; latencies: readonly number[] }> => {
      const { events, latencies } = await open.watch(Math.max(leastMs, options.ms))
      return { calls: Math.max(1, events), latencies }
    }
    const { latencies, usage } = await account({ subject, upstream, clock }, pids, watch)
    return {
      ...usage,
      ...(pids.length > 0 && { peakMegabytes: peakBytes(pids) / 1e6 }),
      ...(latencies.length > 0 && {
        p50Micros: percentile(latencies, 50) * 1000,
        p99Micros: percentile(latencies, 99) * 1000,
      }),
    }
  } finally {
    open.close()
  }
}
