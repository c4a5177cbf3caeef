import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plan } from '../plan.ts'
import type { Farm } from './farm.ts'
import type { Report } from './report.ts'
import { shrink } from './shrink.ts'
import { printTimeline, printViolations } from './timeline.ts'

export interface ReportFailureOptions {
  /** The folder of the smaller plan's file. */
  readonly folder: string
  /** Longest time to make the plan smaller, in ms. */
  readonly forMs: number
  /** Monotonic, in ms. */
  readonly now: () => number
  readonly colour: boolean
  /** Called with the size of the plan each time that it became smaller. */
  readonly onProgress: (text: string) => void
}

/** The outcome of {@link tellFailure}. */
export interface ReportedFailure {
  /** The smaller run; that of the plan as it was where nothing could be left out. */
  readonly report: Report
  /** Replays that run. */
  readonly command: string
  /** The timeline and the violations of that run, for a person. */
  readonly text: string
}

/**
 * Makes a plan that broke an invariant smaller while it breaks the same one, and writes it to `fault-lab-<seed>.json`. A trace that differs
 * between two runs is left as it is: which of them is wrong shows in neither.
 */
export async function reportFailure(
  farm: Farm,
  plan: Plan,
  failed: Report,
  { folder, forMs, now, colour, onProgress }: ReportFailureOptions,
): Promise<ReportedFailure> {
  const broken = failed.violations[0]!.invariant
  const until = now() + forMs
  let report = failed
  const sizeOf = ({ faults, calls, upstreams }: Plan): string =>
    `${faults.length} faults, ${calls.length} calls, ${upstreams.length} upstreams`
  async function stillFails(smaller: Plan): Promise<boolean> {
    const found = await farm.run(smaller)
    const isSame = found.violations.some(({ invariant }) => invariant === broken)
    if (isSame) report = found
    return isSame
  }
  const small = await shrink(plan, stillFails, {
    maxTries: broken === 'sameTrace' ? 0 : 400,
    isOver: () => now() >= until,
    onSmaller: (smaller) => onProgress(`seed ${plan.seed} made smaller: ${sizeOf(smaller)}`),
  })
  const name = `fault-lab-${plan.seed}.json`
  await writeFile(join(folder, name), `${JSON.stringify(small, undefined, 2)}\n`)
  const command = `pnpm fault-lab --plan ${name}`
  const from = small === plan ? 'could not be made smaller' : `made smaller, from ${sizeOf(plan)}`
  const head = `\nseed ${plan.seed}, ${from}: ${sizeOf(small)}\n`
  return { report, command, text: head + printTimeline(report, { colour }) + printViolations(report, command, colour) }
}
