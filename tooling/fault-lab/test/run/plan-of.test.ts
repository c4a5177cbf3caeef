import { describe, expect, it } from 'vitest'
import { hasTrueMajority, soundIn } from '../../src/invariants/honest.ts'
import { faultKinds, type Plan } from '../../src/plan.ts'
import { planOf } from '../../src/run/plan-of.ts'

const seeds = Array.from({ length: 400 }, (_, i) => i + 1)
const plans = seeds.map(planOf)

describe('the plans of seeds', () => {
  it('are the same for the same seed, and survive JSON', () => {
    expect(planOf(7)).toEqual(planOf(7))
    expect(JSON.parse(JSON.stringify(planOf(7)))).toEqual(planOf(7))
    expect(planOf(7)).not.toEqual({ ...planOf(9), seed: 7 })
  })

  it('last for a minute and 300 calls at least, in order of time, over two to six upstreams', () => {
    for (const { lengthMs, calls, upstreams } of plans) {
      expect(lengthMs).toBeGreaterThanOrEqual(60_000)
      expect(calls.length).toBeGreaterThanOrEqual(300)
      expect(calls.map(({ at }) => at)).toEqual(calls.map(({ at }) => at).toSorted((a, b) => a - b))
      expect(calls.every(({ at }) => at < lengthMs)).toBe(true)
      expect(upstreams.length).toBeGreaterThanOrEqual(2)
      expect(upstreams.length).toBeLessThanOrEqual(6)
    }
  })

  it('have all kinds of faults, calls and settings among them', () => {
    const met = new Set(plans.flatMap(({ faults }) => faults.map(({ kind }) => kind)))
    expect(faultKinds.filter((kind) => !met.has(kind))).toEqual([])
    const kinds = new Set(plans.flatMap(({ calls }) => calls.map(({ kind }) => kind)))
    expect([...kinds].toSorted()).toEqual(['batch', 'leave', 'read', 'subscribe', 'unsubscribe', 'write'])
    expect(new Set(plans.map(({ verify }) => verify)).size).toBe(3)
    expect(plans.some(({ projects }) => projects.some(({ greedy }) => greedy))).toBe(true)
    expect(plans.some(({ cordons = [] }) => cordons.length > 0)).toBe(true)
    const followers = plans.flatMap(({ subscribers = [] }) => subscribers)
    expect(new Set(followers.map(({ kind }) => kind)).size).toBe(4)
    expect(new Set(plans.flatMap(({ pollers = [] }) => pollers.map(({ kind }) => kind))).size).toBe(2)
    expect(plans.filter(({ subscribers }) => subscribers === undefined).length).toBeGreaterThan(plans.length / 2)
    expect(Math.max(...plans.flatMap(({ reorgs }) => reorgs.map(({ depth }) => depth)))).toBe(64)
  })

  it('leave the first upstream of a mild one sound, and its liars in the minority', () => {
    for (const plan of plans.filter(({ seed }) => seed % 2 === 0)) {
      expect(soundIn(plan, 0, plan.lengthMs)).toContain('node-0')
      expect(hasTrueMajority(plan, plan.lengthMs)).toBe(true)
    }
  })
})

it('an upstream is not sound during a fault, nor just after it', () => {
  const plan: Plan = { ...planOf(2), faults: [{ upstream: 'node-1', kind: 'lie', at: 10_000, forMs: 1_000 }] }
  expect(soundIn(plan, 0, 9_999)).toContain('node-1')
  expect(soundIn(plan, 10_500, 10_600)).not.toContain('node-1')
  expect(soundIn(plan, 12_000, 12_000)).not.toContain('node-1')
  expect(soundIn(plan, 20_000, 30_000)).toContain('node-1')
})
