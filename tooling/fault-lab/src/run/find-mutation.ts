import type { Plan } from '../plan.ts'
import type { Farm } from './farm.ts'
import type { Mutation } from './mutation.ts'
import { planOf } from './plan-of.ts'
import { reorgsPlanOf } from './reorgs-plan.ts'
import type { Violation } from './report.ts'
import { streamsPlanOf } from './streams-plan.ts'

export interface MutationResult {
  readonly name: string
  /** Seeds that were run until one broke an invariant; undefined: none did. */
  readonly foundAfter: number | undefined
  readonly seed: number | undefined
  readonly violation: Violation | undefined
}

export interface FindMutationOptions {
  /** Most seeds. */
  readonly seeds: number
  readonly from: number
  /** Runs side by side. */
  readonly workers: number
}

/** Fewer subscribers, who find as much. */
const shapeOfSearch = { subscribers: 40, pollers: 0 }
const ofStreams = new Set(['streamsComplete', 'relaysGoOn'])

/** Runs seeds in a farm that carries a seeded bug until one breaks an invariant. */
export async function findMutation(
  farm: Farm,
  { name, isOfStreams = false, isOfReorgs = false, verify = 'off' }: Mutation,
  options: FindMutationOptions,
): Promise<MutationResult> {
  const { seeds, from, workers } = options
  const drawAlone = isOfReorgs ? reorgsPlanOf : planOf
  const draw = (seed: number): Plan =>
    isOfStreams ? streamsPlanOf(seed, { ...shapeOfSearch, verify }) : drawAlone(seed)
  let next = from
  let first: { readonly seed: number; readonly violation: Violation } | undefined

  async function work(): Promise<void> {
    while (next < from + seeds && (first === undefined || next < first.seed)) {
      const seed = next++
      const { violations } = await farm.run(draw(seed))
      const violation = violations.find(({ invariant }) => !isOfStreams || ofStreams.has(invariant))
      if (violation !== undefined && (first === undefined || seed < first.seed)) first = { seed, violation }
    }
  }

  await Promise.all(Array.from({ length: workers }, work))
  const found = first as { readonly seed: number; readonly violation: Violation } | undefined
  return { name, foundAfter: found && found.seed - from + 1, seed: found?.seed, violation: found?.violation }
}
