import { expect, test } from 'vitest'
import { createBlockLimit } from '../../src/ranges/block-limit.ts'

const minute = 60_000

test('a limit that was told holds above itself, and one more block may pass', () => {
  const limit = createBlockLimit()
  limit.refused(20_000, 1_000, 0)
  expect([1_000, 1_001, 1_002, 19_999].map((blocks) => limit.reason(blocks, 1))).toEqual([
    undefined,
    undefined,
    'range_too_large',
    'range_too_large',
  ])
  expect(limit.most(1)).toEqual({ blocks: 1_000, isReported: true })
  limit.refused(1_001, 1_000, 2)
  expect(limit.reason(1_001, 3)).toBe('range_too_large')
  expect(limit.reason(1_000, 3)).toBeUndefined()
})

test('without a number, what was refused and what passed close in, and what is longer than that is asked last', () => {
  const limit = createBlockLimit()
  limit.refused(20_000, undefined, 0)
  expect(limit.reason(20_000, 1)).toBe('range_doubtful')
  expect(limit.reason(19_999, 1)).toBeUndefined()
  limit.passed(800)
  limit.refused(5_000, undefined, 2)
  expect([800, 801, 4_999, 5_000].map((blocks) => limit.reason(blocks, 3))).toEqual([
    undefined,
    'range_doubtful',
    'range_doubtful',
    'range_doubtful',
  ])
  limit.passed(3_000)
  expect([3_000, 3_001].map((blocks) => limit.reason(blocks, 3))).toEqual([undefined, 'range_doubtful'])
})

test.each([5, 100, 1_000, 10_000, 1_000_000])(
  'who splits by the guess finds a limit of %i within a factor of two',
  (real) => {
    const limit = createBlockLimit()
    limit.refused(10_000_000, undefined, 0)
    let refusals = 1
    for (let i = 0; i < 40; i++) {
      const { blocks, isReported } = limit.most(1)!
      expect(isReported).toBe(false)
      if (blocks <= real) limit.passed(blocks)
      else {
        limit.refused(blocks, undefined, 1)
        refusals++
      }
    }
    expect(limit.most(1)!.blocks).toBeGreaterThan(real / 2)
    expect(limit.most(1)!.blocks).toBeLessThanOrEqual(real)
    expect(refusals).toBeLessThanOrEqual(6)
  },
)

test('a number that cannot be, or that the next refusal contradicts, is not believed', () => {
  const over = createBlockLimit()
  over.refused(500, 10_000, 0)
  expect(over.most(1)).toEqual({ blocks: 22, isReported: false })
  expect(over.reason(500, 1)).toBe('range_doubtful')
  expect(over.reason(499, 1)).toBeUndefined()

  const falling = createBlockLimit()
  for (const blocks of [10_000, 9_000, 8_000]) falling.refused(blocks, blocks - 1, 0)
  expect(falling.most(1)!.isReported).toBe(false)
  expect(falling.reason(7_000, 1)).toBe('range_doubtful')
})

test('a told limit that was lowered once is believed', () => {
  const limit = createBlockLimit()
  limit.refused(20_000, 10_000, 0)
  limit.refused(9_000, 100, 1)
  expect(limit.most(2)).toEqual({ blocks: 100, isReported: true })
})

test('a refusal is tried again after 10 minutes by one call, and then counts for 20, at last for 160', () => {
  const limit = createBlockLimit()
  limit.refused(20_000, 1_000, 0)
  let now = 0
  for (const minutes of [10, 20, 40, 80, 160, 160]) {
    expect(limit.reason(5_000, now + minutes * minute - 1)).toBe('range_too_large')
    now += minutes * minute
    expect(limit.reason(5_000, now)).toBeUndefined()
    limit.began(5_000, now)
    expect(limit.reason(5_000, now + 1)).toBe('range_too_large')
    limit.refused(5_000, 1_000, now)
  }
})

test('a limit is forgotten where a longer range passes', () => {
  const limit = createBlockLimit()
  limit.refused(20_000, 1_000, 0)
  limit.passed(20_000)
  expect(limit.reason(30_000, 1)).toBeUndefined()
  expect(limit.most(1)).toBeUndefined()
})

test('two failures without a word put an upstream last for longer ranges than have passed, for two minutes', () => {
  const limit = createBlockLimit()
  limit.doubted(9_000, 0)
  expect(limit.reason(9_000, 1)).toBeUndefined()
  limit.passed(100)
  limit.doubted(8_000, 1)
  expect([100, 101, 9_000].map((blocks) => limit.reason(blocks, 2))).toEqual([
    undefined,
    'range_doubtful',
    'range_doubtful',
  ])
  expect(limit.reason(9_000, 2 * minute + 1)).toBeUndefined()
})

test('a failure of as many blocks as have passed is not for its blocks', () => {
  const limit = createBlockLimit()
  limit.passed(9_000)
  for (let i = 0; i < 9; i++) limit.doubted(5_000, i)
  expect(limit.reason(5_000, 9)).toBeUndefined()
})

test('a refusal without a number of as many blocks as have passed is not for its blocks', () => {
  const limit = createBlockLimit()
  limit.passed(10_000)
  limit.refused(2, undefined, 0)
  expect(limit.reason(2, 1)).toBeUndefined()
  expect(limit.most(1)).toBeUndefined()
})

test('a doubt ends where as many blocks pass', () => {
  const limit = createBlockLimit()
  limit.doubted(9_000, 0)
  limit.doubted(8_000, 0)
  limit.passed(8_000)
  expect(limit.reason(20_000, 1)).toBeUndefined()
})
