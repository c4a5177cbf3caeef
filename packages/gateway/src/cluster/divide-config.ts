import type { PinnedConfig } from '../chains/pinned-config.ts'
import { limitDefaults } from '../config/limits.ts'
import { tracingDefaults } from '../config/telemetry-config.ts'

/** Limits of the process that workers divide among them. The others hold for a call, a connection or a subscription. */
export const dividedLimits = ['maxHeldBytes', 'maxCalls', 'maxUpstreamCalls', 'maxConnections'] as const

/** Their defaults that do not depend on the memory: of the whole gateway, so that they are divided, too. */
const wholes: Readonly<Partial<Record<(typeof dividedLimits)[number], number>>> = limitDefaults

/**
 * Makes the configuration of a worker: JSON-RPC at an address, with its part of what is divided, at least 1, so that all parts together
 * are the whole. Limits that depend on the memory follow the part of it that the worker has.
 */
export function divideConfig(
  config: PinnedConfig,
  { slot, count, rpc }: { readonly slot: number; readonly count: number; readonly rpc: string },
): PinnedConfig {
  const partOf = (whole: number): number => Math.max(1, Math.floor(whole / count) + (slot <= whole % count ? 1 : 0))
  const limits = Object.fromEntries(
    dividedLimits.flatMap((name) => {
      const whole = config.limits?.[name] ?? wholes[name]
      return whole === undefined ? [] : [[name, partOf(whole)]]
    }),
  )
  const { cache, tracing } = config
  const callersPerSecond = tracing?.callersPerSecond ?? tracingDefaults.callersPerSecond
  return {
    ...config,
    listen: { ...config.listen, rpc },
    limits: { ...config.limits, ...limits },
    ...(cache !== undefined &&
      cache !== false &&
      cache.maxBytes !== undefined && { cache: { ...cache, maxBytes: Math.max(leastCache, partOf(cache.maxBytes)) } }),
    ...(tracing !== undefined &&
      callersPerSecond > 0 && { tracing: { ...tracing, callersPerSecond: partOf(callersPerSecond) } }),
  }
}

/** Makes the configuration of the primary process, which answers no call and leaves the memory of the cache to its workers. */
export function primaryConfig(config: PinnedConfig): PinnedConfig {
  const { cache } = config
  const isShared = typeof cache === 'object' && cache.redis !== undefined
  return { ...config, cache: isShared ? { ...cache, maxBytes: leastCache } : false }
}

const leastCache = 1_048_576
