import type { Farm } from './farm.ts'
import { planOf } from './plan-of.ts'
import type { Plan } from '../plan.ts'
import type { Report, RunStats } from './report.ts'

export interface RunSeedsOptions {
  readonly seeds: number
  readonly from: number
  /** Runs side by side. */
  readonly workers: number
  /** One seed in so many runs twice; 0: none. */
  readonly checkHash: number
  /** Draws the plan of a seed. Default: {@link planOf}. */
  readonly draw?: (seed: number) => Plan
  /** Called with each outcome, and how many there are by now. */
  readonly onReport?: (report: Report, done: number) => void
}

export interface SeedsSummary {
  readonly seeds: number
  /** The seeds that break an invariant, with what they break. */
  readonly failed: readonly { readonly seed: number; readonly violations: Report['violations'] }[]
  readonly stats: RunStats
  /** Seeds that ran twice with the same trace. */
  readonly repeated: number
}

/** Runs seeds that follow on one another, and sums them up. */
export async function runSeeds(farm: Farm, options: RunSeedsOptions): Promise<SeedsSummary> {
  const { seeds, from, workers, checkHash, draw = planOf, onReport } = options
  const failed: { readonly seed: number; readonly violations: Report['violations'] }[] = []
  const sums: Record<keyof RunStats, number> = {
    calls: 0,
    answered: 0,
    refused: 0,
    exchanges: 0,
    pushes: 0,
    judged: 0,
    hits: 0,
  }
  let next = from
  let done = 0
  let repeated = 0

  async function work(): Promise<void> {
    while (next < from + seeds) {
      const seed = next++
      const report = await runOnce(seed)
      for (const name of Object.keys(sums) as (keyof RunStats)[]) sums[name] += report.stats[name]
      if (report.violations.length > 0) failed.push({ seed, violations: report.violations })
      onReport?.(report, ++done)
    }
  }

  async function runOnce(seed: number): Promise<Report> {
    const plan = draw(seed)
    const report = await farm.run(plan)
    if (checkHash === 0 || (seed - from) % checkHash !== 0) return report
    const again = await farm.run(plan)
    if (again.traceHash === report.traceHash) {
      repeated++
      return report
    }
    const text = `two runs differ: trace ${report.traceHash} and ${again.traceHash}`
    return { ...report, violations: [...report.violations, { invariant: 'sameTrace', at: 0, text }] }
  }

  await Promise.all(Array.from({ length: workers }, work))
  failed.sort((a, b) => a.seed - b.seed)
  return { seeds, failed, stats: sums, repeated }
}
