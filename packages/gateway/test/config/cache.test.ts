import { describe, expect, it } from 'vitest'
import { cacheBytesOf } from '@wayleave/network/internal/config/cache-config'
import type { Config } from '../../src/config/config.ts'
import { configSchema } from '../../src/config/config.ts'
import { configWarnings } from '../../src/config/warnings.ts'

const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams: ['http://127.0.0.1:1'] } }
const problemOf = (cache: unknown): unknown => configSchema.check({ networks, cache }, '')

it('is as large as the memory allows, unless it is told', () => {
  expect(cacheBytesOf({}, 1_073_741_824)).toBe(67_108_864)
  expect(cacheBytesOf({}, Number.POSITIVE_INFINITY)).toBe(268_435_456)
  expect(cacheBytesOf({}, 1)).toBe(1_048_576)
  expect(cacheBytesOf({ maxBytes: 2_000_000 }, 1)).toBe(2_000_000)
})

it('may be false, of all networks or of one', () => {
  expect([false, {}, { maxBytes: 1_048_576, unproven: false }].map(problemOf)).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  const none = { mainnet: { ...networks.mainnet, cache: false } }
  expect(configSchema.check({ networks: none }, '')).toBeUndefined()
})

it.each([[true], [{ maxBytes: 1 }], [{ unproven: 'no' }], [{ size: 1 }]])('refuses %j', (cache) => {
  expect(problemOf(cache)).toBeDefined()
})

describe('a warning is given', () => {
  const upstreams = ['wss://127.0.0.1:1']
  const evm = { kind: 'evm', chainId: 1, upstreams } as const
  const told = (config: object): unknown => {
    expect(configSchema.check({ networks: { mine: evm }, ...config }, '')).toBeUndefined()
    return configWarnings({ networks: { mine: evm }, ...config } as Config).map(({ path }) => path.join('.'))
  }

  it('of unproven answers that are not kept where nothing is proven', () => {
    const cache = { unproven: false }
    const starknet = { kind: 'starknet', chainId: 'SN_MAIN', upstreams }
    expect(told({ cache, networks: { mine: evm, starknet } })).toEqual(['cache.unproven'])
    expect(told({ cache, networks: { mine: { ...evm, verify: 'consistent' } } })).toEqual([])
    const [url] = upstreams
    expect(told({ cache, networks: { mine: { ...evm, upstreams: [{ url, verify: 'consistent' }] } } })).toEqual([])
  })

  it('of a Redis that may evict what it must keep', () => {
    const redis = 'redis://:secret@state'
    expect(told({ redis, cache: { redis: 'rediss://state:6379/1' } })).toEqual(['cache.redis'])
    expect(told({ redis: [redis, 'redis://b:7000'], cache: { redis: ['redis://b:7000', 'redis://c'] } })).toEqual([
      'cache.redis',
    ])
    expect(told({ redis, cache: { redis: 'redis://answers' } })).toEqual([])
    expect(told({ cache: { redis } })).toEqual([])
  })
})
