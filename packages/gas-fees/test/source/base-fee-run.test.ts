import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type BaseFeeRun,
  gapOf,
  type KnownBaseFees,
  runBefore,
  withNewest,
  withOlder,
} from '../../src/source/base-fee-run.ts'

/** The run of a chain whose base fee is always the block's number. */
function run(first: number, last: number, difference = 0n): BaseFeeRun {
  return {
    firstNumber: first,
    baseFees: Array.from({ length: last + 1 - first }, (_, i) => BigInt(first + i) + difference),
  }
}

test('newer blocks join those that they touch or overlap, and prevail', () => {
  expect(withNewest(undefined, run(5, 9))).toEqual({ newest: run(5, 9) })
  expect(withNewest({ newest: run(5, 9) }, run(10, 12)).newest).toEqual(run(5, 12))
  expect(withNewest({ newest: run(5, 9) }, run(7, 12)).newest).toEqual(run(5, 12))
  // A reorganisation within the window.
  const other: BaseFeeRun = { firstNumber: 7, baseFees: [7n, 80n] }
  expect(withNewest({ newest: run(5, 9) }, other).newest).toEqual({ firstNumber: 5, baseFees: [5n, 6n, 7n, 80n] })
})

test('what another chain left is dropped', () => {
  expect(withNewest({ newest: run(5, 9) }, run(7, 12, 1n))).toEqual({ newest: run(7, 12, 1n) })
  expect(withNewest({ newest: run(50, 90) }, run(3, 9)).newest).toEqual(run(3, 9))
})

test('a gap after a pause is filled down to what was known before it', () => {
  const paused = withNewest({ newest: run(100, 200) }, run(900, 999))
  expect(gapOf(paused)).toEqual({ newest: 899, count: 699 })
  const half = withOlder(paused, run(500, 899))
  expect(gapOf(half)).toEqual({ newest: 499, count: 299 })
  expect(withOlder(half, run(201, 499)).newest).toEqual(run(100, 999))
  expect(withOlder(half, run(0, 498))).toBe(half)
})

test('no more is asked for than congestion compares with, nor below the first block', () => {
  expect(gapOf({ newest: run(0, 500) })).toBeUndefined()
  expect(gapOf({ newest: run(100, 500) })).toEqual({ newest: 99, count: 100 })
  expect(gapOf({ newest: run(40_000, 40_499) })).toEqual({ newest: 39_999, count: 40_000 - 20_499 })
  const full = withOlder({ newest: run(30_000, 40_499) }, run(15_000, 29_999))
  expect(full.newest).toEqual(run(20_499, 40_499))
  expect(gapOf(full)).toBeUndefined()
})

test('what is older than congestion looks back is dropped', () => {
  expect(withNewest({ newest: run(0, 500) }, run(30_000, 30_100))).toEqual({ newest: run(30_000, 30_100) })
  expect(withNewest({ newest: run(0, 500) }, run(20_000, 20_300)).older).toEqual(run(300, 500))
})

test('the fees right before a block are all of them, or none', () => {
  expect(runBefore(run(5, 9), 8)).toEqual(run(5, 7))
  expect(runBefore(run(5, 9), 10)).toEqual(run(5, 9))
  expect(runBefore(run(5, 9), 11)).toBeUndefined()
  expect(runBefore(run(5, 9), 5)).toBeUndefined()
})

test('however heads and pages come, each fee is its block’s, and a gap is filled once', () => {
  const step = fc.oneof(
    fc.record({ ahead: fc.nat(3_000) }),
    fc.record({ page: fc.integer({ min: 1, max: 1_024 }), stale: fc.boolean() }),
  )
  fc.assert(
    fc.property(fc.nat(50_000), fc.array(step, { maxLength: 60 }), (start, steps) => {
      let head = start
      let known: KnownBaseFees = withNewest(undefined, run(Math.max(0, head - 499), head))
      for (const each of steps) {
        const gap = gapOf(known)
        if ('ahead' in each) {
          head += each.ahead
          known = withNewest(known, run(Math.max(0, head - 499), head))
        } else if (gap !== undefined) {
          const newest = gap.newest - (each.stale ? 1 : 0)
          const count = Math.min(each.page, gap.count, newest + 1)
          if (count > 0) known = withOlder(known, run(newest + 1 - count, newest))
        }
        for (const { firstNumber, baseFees } of [known.newest, ...(known.older ? [known.older] : [])]) {
          if (baseFees.some((fee, i) => fee !== BigInt(firstNumber + i))) throw new Error('a fee is another block’s')
          if (firstNumber < head - 20_000) throw new Error('too much is kept')
        }
        if (known.newest.firstNumber + known.newest.baseFees.length - 1 !== head) throw new Error('the head is missing')
      }
    }),
    { numRuns: 300 },
  )
})
