import { expect, test } from 'vitest'
import { createFairShare } from '../src/index.ts'

function takeAll(share: ReturnType<typeof createFairShare>, tenant: string | undefined, reserve = 0): number {
  let taken = 0
  while (share.take(tenant, 1, reserve)) taken++
  return taken
}

test('a tenant alone has nine tenths, and what is left serves others at once', () => {
  const share = createFairShare(160)
  expect(takeAll(share, 'a')).toBe(144)
  expect(share.free).toBe(16)
  expect(share.take('b', 1)).toBe(true)
  expect(share.take('a', 1)).toBe(false)
})

test('greedy tenants end with equal parts, once what the first one held has come back', () => {
  const share = createFairShare(190)
  takeAll(share, 'a')
  for (let i = 0; i < 2_000; i++) {
    // Calls end in turns, and both tenants take whatever they may have, the greedy one first.
    const ended = i % 2 === 0 && share.held('b') > 0 ? 'b' : 'a'
    share.give(ended, 1)
    for (const tenant of ['a', 'b']) takeAll(share, tenant)
  }
  expect(share.held('a')).toBeLessThan(100)
  expect(share.held('b')).toBeGreaterThan(80)
})

test('the host takes to the last one, a reserve stays for who asks for none', () => {
  const share = createFairShare(20)
  expect(takeAll(share, undefined, 5)).toBe(15)
  expect(takeAll(share, undefined)).toBe(5)
  expect(share.take('a', 1)).toBe(false)
  share.give(undefined, 20)
  expect(share.free).toBe(20)
  expect(share.held(undefined)).toBe(0)
})
