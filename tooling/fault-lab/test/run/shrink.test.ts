import { describe, expect, it } from 'vitest'
import type { Plan } from '../../src/plan.ts'
import { planOf } from '../../src/run/plan-of.ts'
import { shrink } from '../../src/run/shrink.ts'

const plan = { ...planOf(3), calls: planOf(3).calls.slice(0, 120) }

describe('a failing plan made smaller', () => {
  it('keeps only what the failure needs', async () => {
    const fault = plan.faults.at(-1)!
    const needs = (tried: Plan): boolean =>
      [17, 90].every((id) => tried.calls.some((call) => call.id === id)) && tried.faults.includes(fault)
    const small = await shrink(plan, async (tried) => needs(tried))
    expect(small.calls.map(({ id }) => id)).toEqual([17, 90])
    expect(small.faults).toEqual([fault])
    expect(small.upstreams.map(({ name }) => name)).toEqual([fault.upstream])
    expect(small.reorgs).toEqual([])
  })

  it('stops after so many tries', async () => {
    let tries = 0
    const always = async (): Promise<boolean> => {
      tries++
      return false
    }
    expect(await shrink(plan, always, { maxTries: 7 })).toBe(plan)
    expect(tries).toBe(7)
  })

  it('stops when its time is spent', async () => {
    let tries = 0
    const some = async (): Promise<boolean> => ++tries % 2 === 0
    const small = await shrink(plan, some, { isOver: () => tries >= 6 })
    expect(tries).toBe(6)
    expect(small.faults.length).toBeLessThan(plan.faults.length)
  })
})
