import { expect, it } from 'vitest'
import { createRandom } from '../../src/simulator/random.ts'
import { createStairs } from '../../src/simulator/stairs.ts'

it('climbs by steps with plateaus, stays at the top, and comes down to where it began', () => {
  const height = createStairs(
    { calm: [3, 3], steps: [2, 2], plateau: [2, 2], factor: [2, 2], top: [3, 3] },
    createRandom(1),
  )
  const heights = Array.from({ length: 18 }, height)
  expect(heights).toEqual([1, 1, 1, 2, 2, 4, 4, 4, 4, 4, 2, 1, 1, 1, 2, 2, 4, 4])
})
