import { describe, expect, it } from 'vitest'
import { createFarm } from '../../src/run/farm.ts'
import { findMutation } from '../../src/run/find-mutation.ts'
import { readMutations } from '../../src/run/mutation.ts'
import { runPlan } from '../../src/run/run-plan.ts'
import { runStreams } from '../../src/run/run-streams.ts'
import { streamsPlanOf } from '../../src/run/streams-plan.ts'

const workers = 2
/** A last resort on a busy machine, and no assertion of speed. */
const timeout = 600_000
const shape = { subscribers: 100, pollers: 0 }

describe('streams under forced losses of upstreams, with reorganisations to a depth of 64', () => {
  it('tell 100 subscribers of mixed kinds each event once and in order', { timeout }, async () => {
    using farm = createFarm(workers)
    const { counts, failed } = await runStreams(farm, { losses: 25, from: 1, workers, shape })
    expect(failed).toEqual([])
    expect(counts).toMatchObject({ losses: 25, subscribers: 100, gaps: 0, duplicates: 0, orderErrors: 0 })
    expect(counts.events).toBeGreaterThan(10_000)
  })

  it.each(['consistent', 'proven'] as const)(
    'tell nothing false, and all that is true, beside an upstream that lies, under verify: %s',
    { timeout },
    async (verify) => {
      using farm = createFarm(workers)
      const lying = { ...shape, subscribers: 40, verify }
      const { counts, failed } = await runStreams(farm, { losses: 25, from: 1, workers, shape: lying })
      expect(failed).toEqual([])
      expect(counts).toMatchObject({ losses: 25, subscribers: 40, gaps: 0, duplicates: 0, orderErrors: 0 })
      expect(counts.events).toBeGreaterThan(4_000)
    },
  )

  it('with a seeded bug in them break an invariant', { timeout }, async () => {
    const mutation = readMutations().find(({ name }) => name === 'late-comers-told-twice')!
    using farm = createFarm(workers, mutation.name)
    const { foundAfter } = await findMutation(farm, mutation, { seeds: 20, from: 1, workers })
    expect(foundAfter).toBeGreaterThan(0)
  })
})

describe('streams of sound upstreams', () => {
  const plan = {
    ...streamsPlanOf(3, { subscribers: 60 }),
    lengthMs: 40_000,
    faults: [],
    reorgs: [],
    calls: [],
  }
  const calm = plan
    .subscribers!.filter(({ fromDepth }) => fromDepth === undefined)
    .map((each) => ({ ...each, drops: [] }))

  it('cost one subscription an upstream, and two questions a block', { timeout }, async () => {
    const report = await runPlan({ ...plan, subscribers: calm, pollers: [] })
    expect(report.violations).toEqual([])
    expect(report.streams!.events).toBeGreaterThan(300)
  })

  it('tell pollers of filters each event once and in order, and leave the same trace twice', { timeout }, async () => {
    const [one, again] = [await runPlan({ ...plan, subscribers: calm }), await runPlan({ ...plan, subscribers: calm })]
    expect(one.violations).toEqual([])
    expect(one.streams).toMatchObject({ pollers: 6, gaps: 0, duplicates: 0, orderErrors: 0 })
    expect(again.traceHash).toBe(one.traceHash)
  })
})
