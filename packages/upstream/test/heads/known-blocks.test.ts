import { expect, test } from 'vitest'
import { agreedPosition } from '../../src/heads/agreed-position.ts'
import { branchesOff, createKnownBlocks, type KnownBlocks, relationOf } from '../../src/heads/known-blocks.ts'

/** A chain by its blocks, oldest first, each as its height, or as that and the height of its parent; `fork` names its blocks. */
function chainOf(...blocks: readonly (readonly [number, number, string?, string?])[]): KnownBlocks {
  const known = createKnownBlocks()
  for (const [number, parent, fork = '', parentFork = fork] of blocks) {
    known.learn({ number, hash: `${number}${fork}`, parentHash: `${parent}${parentFork}` })
  }
  return known
}

test('a parent is the block that is named, at whatever height', () => {
  const known = chainOf([1_001, 1_000], [1_002, 1_001], [1_005, 1_002], [1_006, 1_005])
  expect([1_001, 1_002, 1_003, 1_004, 1_005].map((number) => known.hashAt(number))).toEqual([
    '1001',
    '1002',
    '1002',
    '1002',
    '1005',
  ])
  expect(known.linkedFrom).toBe(1_000)
})

test('nodes of one chain are never forked for what they know of heights without a block', () => {
  const whole = chainOf([1_001, 1_000], [1_002, 1_001], [1_005, 1_002], [1_006, 1_005])
  const skipping = chainOf([1_001, 1_000], [1_005, 1_002])
  const fresh = chainOf([1_005, 1_002])
  for (const one of [whole, skipping, fresh]) {
    for (const other of [whole, skipping, fresh]) expect(relationOf(one, other)).toBe('same')
  }
})

test('a node that has a block where another one has none tells another fork, and both branch off below', () => {
  const empty = chainOf([1_001, 1_000], [1_002, 1_001], [1_005, 1_002])
  const full = chainOf([1_001, 1_000], [1_002, 1_001], [1_003, 1_002], [1_005, 1_003, 'b', ''])
  expect(relationOf(empty, full)).toBe('forked')
  expect([branchesOff(empty, full, 8), branchesOff(full, empty, 8)]).toEqual([true, true])
})

test('a reorganisation to a block whose parent is further down keeps that parent', () => {
  const known = chainOf([1_001, 1_000], [1_002, 1_001], [1_003, 1_002], [1_004, 1_002, 'b', ''])
  expect([known.hashAt(1_002), known.hashAt(1_003), known.hashAt(1_004)]).toEqual(['1002', '1002', '1004b'])
  expect(branchesOff(known, chainOf([1_002, 1_001], [1_003, 1_002]), 8)).toBe(true)
})

test('nodes agree on no height at which no block was made', () => {
  const one = chainOf([1_002, 1_001], [1_004, 1_002], [1_005, 1_004])
  const other = chainOf([1_002, 1_001], [1_004, 1_002, 'b', ''])
  expect(agreedPosition([one, other], [one, other], 1_004, 1_000, 2)).toEqual({ number: 1_002, hash: '1002' })
})
