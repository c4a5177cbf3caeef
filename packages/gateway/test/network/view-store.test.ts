import { openRedis, type RedisStores } from '@wayleave/stores'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createViewStore, type ViewStore } from '../../src/network/view-store.ts'

// A port where nobody listens: the view is kept in this process alone.
let redis: RedisStores
let views = 0
beforeAll(async () => {
  redis = await openRedis({ url: 'redis://127.0.0.1:1' })
})
afterAll(() => redis.close())

const kinds: Readonly<Record<string, () => ViewStore>> = {
  'in memory': createViewStore,
  'shared through Redis, while it is gone': () => redis.view(`n${++views}`),
}

describe.each(Object.entries(kinds))('a view store %s', (_, createStore) => {
  it('a head that was told is raised, and set back only by name', () => {
    const store = createStore()
    expect(store.head).toBe(0)
    store.raise(500)
    store.raise(499)
    expect(store.head).toBe(500)
    store.lower(498)
    expect(store.head).toBe(498)
  })

  it('a nonce is raised, and forgotten a minute after it was told last', () => {
    const store = createStore()
    expect(store.nonceOf('0xa', 0)).toBe(0)
    store.raiseNonce('0xa', 44, 0)
    store.raiseNonce('0xa', 43, 1_000)
    expect([store.nonceOf('0xa', 59_999), store.nonceOf('0xb', 0)]).toEqual([44, 0])
    store.raiseNonce('0xa', 44, 50_000)
    expect([store.nonceOf('0xa', 109_999), store.nonceOf('0xa', 110_000)]).toEqual([44, 0])
    store.raiseNonce('0xa', 3, 110_000)
    expect(store.nonceOf('0xa', 110_001)).toBe(3)
  })

  it('no more than ten thousand senders are remembered: the one told longest ago goes first', () => {
    const store = createStore()
    for (let i = 0; i < 10_000; i++) store.raiseNonce(`s${i}`, 1, 0)
    store.raiseNonce('s0', 2, 1)
    store.raiseNonce('new', 1, 1)
    expect(['s0', 's1', 's2', 'new'].map((sender) => store.nonceOf(sender, 2))).toEqual([2, 0, 1, 1])
  })
})
