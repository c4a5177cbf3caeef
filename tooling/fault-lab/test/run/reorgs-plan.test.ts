import { describe, expect, it } from 'vitest'
import { hasLies, soundIn } from '../../src/invariants/honest.ts'
import { createFarm } from '../../src/run/farm.ts'
import { findMutation } from '../../src/run/find-mutation.ts'
import { readMutations } from '../../src/run/mutation.ts'
import { reorgsPlanOf } from '../../src/run/reorgs-plan.ts'
import { runSeeds } from '../../src/run/run-seeds.ts'

const plans = Array.from({ length: 200 }, (_, i) => reorgsPlanOf(i + 1))
const workers = 2
/** A last resort on a busy machine, and no assertion of speed. */
const timeout = 900_000

describe('the plans of reorganisations', () => {
  it('are the same for the same seed, and survive JSON', () => {
    expect(JSON.parse(JSON.stringify(reorgsPlanOf(7)))).toEqual(reorgsPlanOf(7))
    expect(reorgsPlanOf(8)).not.toEqual({ ...reorgsPlanOf(7), seed: 8 })
  })

  it('replace up to 64 blocks twice at least, tell nothing false, and leave an upstream sound', () => {
    for (const plan of plans) {
      expect(plan.reorgs.length).toBeGreaterThanOrEqual(2)
      expect(hasLies(plan)).toBe(false)
      expect(soundIn(plan, 0, plan.lengthMs)).toContain('node-0')
    }
    expect(Math.max(...plans.flatMap(({ reorgs }) => reorgs.map(({ depth }) => depth)))).toBe(64)
    expect(plans.some(({ projects }) => projects.some(({ group }) => group === 'own'))).toBe(true)
  })
})

describe('the cache over a chain that is replaced', () => {
  it('breaks no invariant in five seeds, and answers many of their calls', { timeout }, async () => {
    using farm = createFarm(workers)
    const { failed, stats } = await runSeeds(farm, { seeds: 5, from: 1, workers, checkHash: 5, draw: reorgsPlanOf })
    expect(failed).toEqual([])
    expect(stats.hits).toBeGreaterThan(stats.calls / 10)
  })

  it('with a seeded bug in it breaks one', { timeout }, async () => {
    const mutation = readMutations().find(({ name }) => name === 'cache-outlives-reorgs')!
    using farm = createFarm(workers, mutation.name)
    const { violation } = await findMutation(farm, mutation, { seeds: 50, from: 5, workers })
    expect(violation?.invariant).toBe('cacheReportsTheChain')
  })
})
