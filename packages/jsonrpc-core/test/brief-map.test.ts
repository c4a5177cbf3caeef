import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BriefMap } from '../src/brief-map.ts'

test('it is a map, however many keys are set', () => {
  const key = fc.integer({ min: 0, max: 400 })
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ what: fc.constant('set' as const), key }) },
    { weight: 2, arbitrary: fc.record({ what: fc.constant('delete' as const), key }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 2_000, size: 'max' }), (steps) => {
      const [ours, theirs] = [new BriefMap<number, number>(), new Map<number, number>()]
      for (const [i, { what, key: k }] of steps.entries()) {
        if (what === 'delete') expect(ours.delete(k)).toBe(theirs.delete(k))
        else {
          ours.set(k, i)
          theirs.set(k, i)
        }
        expect(ours.get(k)).toBe(theirs.get(k))
        expect(ours.size).toBe(theirs.size)
      }
      for (let k = 0; k <= 400; k++) expect(ours.get(k)).toBe(theirs.get(k))
    }),
    { numRuns: 30 },
  )
})

test('what has left it is freed by collections of what lives short, though the map is old', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void
  /** Returns the bytes by which the heap grows while 5,000 entries of 4 kB pass through a map, five at a time. */
  function growthThrough(map: { set(key: number, value: unknown): unknown; delete(key: number): unknown }): number {
    const pass = (from: number, to: number): void => {
      for (let i = from; i < to; i++) {
        map.set(
          i,
          Array.from({ length: 500 }, () => i),
        )
        map.delete(i - 5)
        if (i % 50 === 0) collect({ type: 'minor' })
      }
    }
    pass(0, 500)
    collect({ type: 'major' })
    const before = usedBytes()
    pass(500, 5_500)
    return usedBytes() - before
  }
  // So that this test would notice if V8 no longer did it.
  expect(growthThrough(new Map())).toBeGreaterThan(4_000_000)
  expect(growthThrough(new BriefMap())).toBeLessThan(1_000_000)
})

function usedBytes(): number {
  return getHeapSpaceStatistics().reduce((sum, { space_used_size }) => sum + space_used_size, 0)
}
