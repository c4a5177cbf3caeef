import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import type { Cordon } from '@wayleave/stores'
import { describe, expect, it } from 'vitest'
import { type Cordons, createCordons } from '../../src/network/cordons.ts'

/** Cordons of a gateway, and what its networks were told. */
function begin(isShared: boolean) {
  const clock = new FakeClock()
  const told: (readonly [upstream: string, why: string | undefined])[] = []
  const networks = [
    {
      name: 'net',
      upstreams: ['a', 'b'],
      cordon: (upstream: string, why: string | undefined) => told.push([upstream, why]) > 0,
    },
  ]
  const redis = { isGone: false, list: new Map<string, Cordon>(), change: (): void => {}, isWatched: false }
  async function set(upstream: string, cordon: Cordon | undefined): Promise<void> {
    await undefined
    if (redis.isGone) throw new Error('gone')
    if (cordon === undefined) redis.list.delete(upstream)
    else redis.list.set(upstream, cordon)
    redis.change()
  }
  const shared = {
    list: () => [...redis.list.values()],
    cordon: (network: string, upstream: string, reason: string) => set(upstream, { network, upstream, reason, at: 1 }),
    uncordon: (_network: string, upstream: string) => set(upstream, undefined),
    watch(listener: () => void) {
      redis.change = listener
      redis.isWatched = true
      return () => void (redis.isWatched = false)
    },
  }
  const cordons: Cordons = createCordons({ networks, shared: isShared ? shared : undefined, clock })
  const taken = () => told.splice(0)
  const pass = async (): Promise<void> => {
    clock.advance(1_000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { clock, cordons, redis, set, taken, pass }
}

it('cordons of a gateway that is alone hold at once', async () => {
  const { clock, cordons, taken } = begin(false)
  expect(cordons.upstreams).toEqual({ net: ['a', 'b'] })
  expect(await cordons.cordon('net', 'a', 'repair')).toBe(true)
  expect(await cordons.cordon('net', 'a', 'repair')).toBe(true)
  expect(await cordons.cordon('net', 'a', 'upgrade')).toBe(true)
  expect(await cordons.cordon('net', 'a', undefined)).toBe(true)
  expect(taken()).toEqual([
    ['a', 'repair'],
    ['a', 'upgrade'],
    ['a', undefined],
  ])
  expect(clock.timers).toBe(0)
})

describe('cordons that replicas share', () => {
  it('hold here when another one made or lifted them, and only upstreams that are here are told', async () => {
    const { cordons, set, redis, taken } = begin(true)
    await set('b', { network: 'net', upstream: 'b', reason: 'repair', at: 1 })
    await set('c', { network: 'net', upstream: 'c', reason: 'repair', at: 1 })
    await set('a', { network: 'elsewhere', upstream: 'a', reason: 'repair', at: 1 })
    expect(taken()).toEqual([['b', 'repair']])
    await set('b', undefined)
    expect(taken()).toEqual([['b', undefined]])
    cordons.close()
    expect(redis.isWatched).toBe(false)
  })

  it('that Redis does not take hold here, and are told when it is back', async () => {
    const { clock, cordons, redis, set, taken, pass } = begin(true)
    expect(await cordons.cordon('net', 'a', 'repair')).toBe(true)
    redis.isGone = true
    expect(await cordons.cordon('net', 'a', undefined)).toBe(false)
    expect(await cordons.cordon('net', 'b', 'upgrade')).toBe(false)
    expect(taken()).toEqual([
      ['a', 'repair'],
      ['a', undefined],
      ['b', 'upgrade'],
    ])
    await pass()
    // News of others do not undo what was decided here.
    redis.change()
    expect(taken()).toEqual([])
    redis.isGone = false
    await pass()
    expect([...redis.list.values()]).toMatchObject([{ upstream: 'b', reason: 'upgrade' }])
    expect([taken(), clock.timers]).toEqual([[], 0])
    await set('b', undefined)
    expect(taken()).toEqual([['b', undefined]])
  })

  it('are told no more once it is closed', async () => {
    const { clock, cordons, redis } = begin(true)
    redis.isGone = true
    await cordons.cordon('net', 'a', 'repair')
    cordons.close()
    expect(clock.timers).toBe(0)
  })
})
