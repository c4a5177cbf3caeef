import { describe, expect, it } from 'vitest'
import { problemPaths, warningPaths } from './report.ts'

const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams: ['http://127.0.0.1:1'] } }

it('may be false, of all networks or of one', async () => {
  for (const cache of [false, {}, { maxBytes: 1_048_576, unproven: false }]) {
    expect(await problemPaths({ networks, cache })).toEqual([])
  }
  expect(await problemPaths({ networks: { mainnet: { ...networks.mainnet, cache: false } } })).toEqual([])
})

it.each([
  [true, 'cache'],
  [{ maxBytes: 1 }, 'cache.maxBytes'],
  [{ unproven: 'no' }, 'cache.unproven'],
  [{ size: 1 }, 'cache.size'],
])('refuses %j by its place', async (cache, path) => {
  expect(await problemPaths({ networks, cache })).toEqual([path])
})

describe('a warning is given', () => {
  const upstreams = ['wss://127.0.0.1:1']
  const evm = { kind: 'evm', chainId: 1, upstreams } as const
  const reported = (config: object) => warningPaths({ networks: { mine: evm }, ...config })

  it('of unproven answers that are not kept where nothing is proven', async () => {
    const cache = { unproven: false }
    const starknet = { kind: 'starknet', chainId: 'SN_MAIN', upstreams }
    expect(await reported({ cache, networks: { mine: evm, starknet } })).toEqual(['cache.unproven'])
    expect(await reported({ cache, networks: { mine: { ...evm, verify: 'consistent' } } })).toEqual([])
    const [url] = upstreams
    expect(
      await reported({ cache, networks: { mine: { ...evm, upstreams: [{ url, verify: 'consistent' }] } } }),
    ).toEqual([])
  })

  it('of a Redis that may evict what it must keep', async () => {
    const redis = 'redis://:secret@state'
    expect(await reported({ redis, cache: { redis: 'rediss://state:6379/1' } })).toEqual(['cache.redis'])
    expect(
      await reported({ redis: [redis, 'redis://b:7000'], cache: { redis: ['redis://b:7000', 'redis://c'] } }),
    ).toEqual(['cache.redis'])
    expect(await reported({ redis, cache: { redis: 'redis://answers' } })).toEqual([])
    expect(await reported({ cache: { redis } })).toEqual([])
  })
})
