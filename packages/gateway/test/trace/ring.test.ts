import { expect, it } from 'vitest'
import fc from 'fast-check'
import { createRing } from '../../src/trace/ring.ts'

it('has the last entries, within its number and its bytes', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 })
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 10 }), (lengths, most) => {
      const ring = createRing<number>(most, 100)
      for (const [i, length] of lengths.entries()) ring.push(i, length)
      const reported = ring.newestFirst()
      expect(reported).toEqual(reported.map((_, i) => lengths.length - 1 - i))
      expect(ring.bytes).toBe(reported.reduce((sum, i) => sum + lengths[i]!, 0))
      expect(ring.bytes).toBeLessThanOrEqual(100)
      expect(reported.length).toBeLessThanOrEqual(most)
      // It is as full as it may be.
      const next = lengths[lengths.length - 1 - reported.length]
      if (next !== undefined && reported.length < most) expect(ring.bytes + next).toBeGreaterThan(100)
    }),
  )
})

it('keeps one entry that is longer than all of it', () => {
  const ring = createRing<string>(3, 100)
  ring.push('short', 10)
  ring.push('long', 1_000)
  expect(ring.newestFirst()).toEqual(['long'])
})
