import { describe, expect, it } from 'vitest'
import { createFarm } from '../../src/run/farm.ts'
import { findMutation } from '../../src/run/find-mutation.ts'
import { readMutations } from '../../src/run/mutation.ts'
import { planOf } from '../../src/run/plan-of.ts'
import { runPlan } from '../../src/run/run-plan.ts'
import { runSeeds } from '../../src/run/run-seeds.ts'
import { shrink } from '../../src/run/shrink.ts'

const workers = 2
/** A last resort on a busy machine, and no assertion of speed. */
const timeout = 900_000

describe('the gateway over nodes that fail', () => {
  // The CI runs 300 by the command, these among them.
  it('breaks no invariant in six seeds, and two of them leave the same trace twice', { timeout }, async () => {
    using farm = createFarm(workers)
    const { failed, repeated, stats } = await runSeeds(farm, { seeds: 6, from: 1, workers, checkHash: 3 })
    expect(failed).toEqual([])
    expect(repeated).toBe(2)
    expect(stats.calls).toBeGreaterThanOrEqual(6 * 250)
    expect(stats.judged).toBeGreaterThan(200)
  })

  // Each search begins at the first seed that finds the bug.
  it.each([
    ['cordon-ignored', 3],
    ['heads-go-back', 72],
    ['slots-kept-on-failure', 41],
  ])('with a seeded bug in it breaks one: %s', { timeout }, async (name, from) => {
    const mutation = readMutations().find((each) => each.name === name)!
    using farm = createFarm(1, name)
    const { foundAfter } = await findMutation(farm, mutation, { seeds: 200, from, workers: 1 })
    expect(foundAfter).toBeGreaterThan(0)
  })
})

describe('a run', () => {
  it('that fails tells what happened, and goes on failing in a smaller plan', { timeout }, async () => {
    // Nobody answers in no time at all.
    const plan = planOf(2)
    const hopeless = { ...plan, calls: plan.calls.slice(0, 20).map((call) => ({ ...call, deadlineMs: -100 })) }
    const report = await runPlan(hopeless)
    expect(report.violations.map(({ invariant }) => invariant)).toContain('answersByDeadline')
    expect(report.moments?.some(({ who }) => who.includes('#'))).toBe(true)
    const small = await shrink(
      hopeless,
      async (smaller) => (await runPlan(smaller)).violations.some(({ invariant }) => invariant === 'answersByDeadline'),
      { maxTries: 40 },
    )
    expect(small.calls.length).toBeLessThan(4)
    expect(small.upstreams).toHaveLength(1)
  })
})
