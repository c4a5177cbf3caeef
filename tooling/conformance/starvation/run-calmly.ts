import type { Family } from './family.ts'
import { disturbances } from './noise.ts'
import { type FamilyResult, runFamily, type RunOptions } from './run-family.ts'

export interface CalmOptions extends RunOptions {
  /** How often a run is repeated that broke a bar while something disturbed it. */
  readonly repeats: number
}

/** Runs a family, and again if a bar broke on a busy machine. A bar that breaks undisturbed is told at once. @throws Unavailable */
export async function runCalmly(
  family: Family,
  options: CalmOptions,
  report: (line: string) => void = () => {},
): Promise<FamilyResult> {
  for (let again = 0; ; again++) {
    const result = await runFamily(family, options)
    const disturbed = disturbances(result.noise)
    if (again >= options.repeats || result.broken.length === 0 || disturbed.length === 0) return result
    report(`${family.name}: ${result.broken.join('; ')}. Again, since ${disturbed.join(', ')}.`)
  }
}
