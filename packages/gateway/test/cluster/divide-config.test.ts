import { limitsOf } from '@wayleave/gateway'
import { expect, it } from 'vitest'
import type { PinnedConfig } from '../../src/chains/pinned-config.ts'
import { dividedLimits, divideConfig, primaryConfig } from '../../src/cluster/divide-config.ts'

const rpc = '127.0.0.1:8545'
const base: PinnedConfig = { networks: {} }

it.each([1, 2, 3, 7, 64])(
  'divides among %i workers so that the sum holds, with defaults and with what is written',
  (count) => {
    const memoryBytes = 64 * 1024 ** 3
    const written = { maxHeldBytes: 1_000_000_007, maxCalls: 1_003, maxUpstreamCalls: 161, maxConnections: 20_001 }
    for (const limits of [{}, written]) {
      const config = { ...base, limits }
      const whole = limitsOf(config, memoryBytes)
      const parts = Array.from({ length: count }, (_, i) =>
        limitsOf(divideConfig(config, { slot: i + 1, count, rpc }), memoryBytes / count),
      )
      for (const name of dividedLimits) {
        const sum = parts.reduce((total, part) => total + part[name], 0)
        if (name === 'maxHeldBytes' && limits !== written) expect(sum).toBeLessThanOrEqual(memoryBytes / 4)
        else expect(sum).toBe(whole[name])
      }
      // A body that one process takes is one that each worker takes.
      for (const part of parts) if (limits !== written) expect(part.maxBodyBytes).toBe(whole.maxBodyBytes)
      for (const part of parts) expect(part.maxInFlight).toBe(whole.maxInFlight)
    }
  },
)

it('gives each worker 1 of what is less than the workers, which would serve nothing otherwise', () => {
  const config = { ...base, limits: { maxUpstreamCalls: 1 } }
  expect(divideConfig(config, { slot: 2, count: 2, rpc }).limits?.maxUpstreamCalls).toBe(1)
})

it.each([
  [undefined, [4, 3, 3]],
  [0, [0, 0, 0]],
  [2, [1, 1, 1]],
])('divides the traces that callers may ask for: %o a second', (callersPerSecond, parts) => {
  const endpoint = 'http://127.0.0.1:4318/v1/traces'
  const config = { ...base, tracing: { endpoint, ...(callersPerSecond !== undefined && { callersPerSecond }) } }
  const given = [1, 2, 3].map((slot) => divideConfig(config, { slot, count: 3, rpc }).tracing)
  expect(given).toEqual(parts.map((part) => ({ endpoint, callersPerSecond: part })))
})

it('divides the cache, and leaves the spool to the primary', () => {
  const config: PinnedConfig = { ...base, dataDir: '/data', cache: { maxBytes: 64_000_000, unproven: false } }
  const second = divideConfig(config, { slot: 2, count: 2, rpc })
  expect(second.cache).toEqual({ maxBytes: 32_000_000, unproven: false })
  expect(second.listen?.rpc).toBe(rpc)
  expect(divideConfig({ ...base, cache: false }, { slot: 1, count: 2, rpc }).cache).toBe(false)
})

it('leaves the primary process no memory of the cache, and its Redis, whose state it tells', () => {
  expect(primaryConfig(base).cache).toBe(false)
  expect(primaryConfig({ ...base, cache: { redis: 'redis://cache', maxBytes: 1e9 } }).cache).toEqual({
    redis: 'redis://cache',
    maxBytes: 1_048_576,
  })
})
