import type { Farm } from './farm.ts'
import { noStreams, type Report, type StreamCounts } from './report.ts'
import { lossesOfRun, type StreamsShape, streamsPlanOf } from './streams-plan.ts'

export interface RunStreamsOptions {
  /** Upstreams that are lost in all; rounded up to whole runs. */
  readonly losses: number
  /** The seed of the first run. */
  readonly from: number
  /** Runs side by side. */
  readonly workers: number
  readonly shape?: StreamsShape
  /** Called with each outcome, and the losses so far. */
  readonly onReport?: (report: Report, losses: number) => void
}

export interface StreamsSummary {
  readonly counts: StreamCounts
  /** The seeds that break an invariant, with what they break. */
  readonly failed: readonly { readonly seed: number; readonly violations: Report['violations'] }[]
}

/** Runs plans of streams until so many upstreams were lost, and sums up what subscribers were told. */
export async function runStreams(farm: Farm, options: RunStreamsOptions): Promise<StreamsSummary> {
  const { losses, from, workers, shape, onReport } = options
  const until = from + Math.ceil(losses / lossesOfRun)
  const failed: { readonly seed: number; readonly violations: Report['violations'] }[] = []
  let counts = noStreams
  let next = from

  async function work(): Promise<void> {
    while (next < until) {
      const seed = next++
      const report = await farm.run(streamsPlanOf(seed, shape))
      counts = sumOf(counts, report.streams ?? noStreams)
      if (report.violations.length > 0) failed.push({ seed, violations: report.violations })
      onReport?.(report, counts.losses)
    }
  }

  await Promise.all(Array.from({ length: workers }, work))
  failed.sort((a, b) => a.seed - b.seed)
  return { counts, failed }
}

function sumOf(one: StreamCounts, other: StreamCounts): StreamCounts {
  const names = Object.keys(noStreams) as (keyof StreamCounts)[]
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as unknown as StreamCounts
}

export function printStreams(counts: StreamCounts, failed: number, seconds: number): string {
  const { losses, reorgs, subscribers, pollers, events, ends, gaps, duplicates, orderErrors } = counts
  return (
    `${losses} losses of upstreams, ${reorgs} reorganisations, ${subscribers} subscribers and ${pollers} pollers in ${seconds.toFixed(1)} s: ` +
    `${events} events, ${ends} ends; ${gaps} gaps, ${duplicates} duplicates, ${orderErrors} order errors; ` +
    `${failed} runs break an invariant\n`
  )
}
