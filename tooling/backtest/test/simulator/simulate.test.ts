import { describe, expect, it } from 'vitest'
import { profiles, stairProfiles, unseenProfiles } from '../../src/simulator/profiles.ts'
import { createRandom } from '../../src/simulator/random.ts'
import { simulate } from '../../src/simulator/simulate.ts'

const all = [...profiles, ...stairProfiles, ...unseenProfiles]

describe('simulate', () => {
  it.each(all)('makes the same market of $name each time, and another of another seed', (profile) => {
    const market = simulate(profile, 40)
    expect(simulate(profile, 40)).toEqual(market)
    expect(simulate({ ...profile, seed: 99 }, 40).blocks).not.toEqual(market.blocks)
  })

  it.each(all)('numbers the blocks of $name without a gap, and gives each its rewards', (profile) => {
    const { blocks, percentiles, marginalTips } = simulate(profile, 200)
    expect(blocks).toHaveLength(200)
    expect(marginalTips).toHaveLength(200)
    for (const [at, block] of blocks.entries()) {
      expect(block.number).toBe(blocks[0]!.number + at)
      expect(block.gasUsedRatio).toBeGreaterThanOrEqual(0)
      expect(block.gasUsedRatio).toBeLessThanOrEqual(1)
      expect(block.rewards).toHaveLength(percentiles.length)
    }
  })

  it('keeps a market where most blocks have room, and some have none', { timeout: 60_000 }, () => {
    const [calm, busy, rollup] = profiles.map((profile) => simulate(profile, 2_000))
    const mean = (ratios: readonly number[]) => ratios.reduce((sum, each) => sum + each, 0) / ratios.length
    expect(mean(calm!.blocks.map((block) => block.gasUsedRatio))).toBeCloseTo(1 / 2, 1)
    expect(mean(busy!.blocks.map((block) => block.gasUsedRatio))).toBeCloseTo(1 / 2, 1)
    expect(mean(rollup!.blocks.map((block) => block.gasUsedRatio))).toBeCloseTo(1 / 6, 1)
    const full = busy!.marginalTips!.filter((tip) => tip > 1n).length
    expect(full).toBeGreaterThan(50)
    expect(full).toBeLessThan(1_000)
  })
})

describe('createRandom', () => {
  it('is uniform, normal and Poisson enough', () => {
    const random = createRandom(5)
    const mean = (draw: () => number) => Array.from({ length: 20_000 }, draw).reduce((a, b) => a + b, 0) / 20_000
    expect(mean(() => random.next())).toBeCloseTo(0.5, 1)
    expect(mean(() => random.normal())).toBeCloseTo(0, 1)
    expect(mean(() => random.normal() ** 2)).toBeCloseTo(1, 1)
    expect(mean(() => random.poisson(3))).toBeCloseTo(3, 0)
    expect(mean(() => random.poisson(300))).toBeCloseTo(300, -1)
    expect(mean(() => Math.log(random.logNormal(7, 2)))).toBeCloseTo(Math.log(7), 0)
  })
})
