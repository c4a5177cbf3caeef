import type { Config, LimitsConfig } from './config.ts'

/** All limits, with the default of each that the configuration leaves out. */
export type Limits = Required<LimitsConfig>

/** Limits that the connections and slots of a network are made with. All others hold for callers, and change while a network goes on. */
export type UpstreamLimits = Pick<Limits, 'maxUpstreamBytes' | 'maxUpstreamCalls'>

/** Longest default of `maxHeldBytes`, in bytes. */
const mostHeld = 192 * 1024 * 1024

/** Longest default of `maxBodyBytes`, in bytes. */
const longestBody = 5 * 1024 * 1024
/** A body that came compressed is held four times as it came and four times inflated, in nine tenths of `maxHeldBytes`. */
const bodiesInHeld = 9

/**
 * Reads the limits of a configuration. {@link LimitsConfig} says what each one protects. `memoryBytes` is the memory that this process may
 * use. Default: plenty.
 */
export function limitsOf(
  { limits = {} }: Pick<Config, 'limits'>,
  memoryBytes: number = Number.POSITIVE_INFINITY,
): Limits {
  const maxHeldBytes = limits.maxHeldBytes ?? Math.min(Math.floor(memoryBytes / 4), mostHeld)
  return {
    requestTimeoutMs: 30_000,
    readTimeoutMs: 30_000,
    // Above 0, which means no limit to a WebSocket.
    maxBodyBytes: Math.max(1, Math.min(Math.floor(maxHeldBytes / bodiesInHeld), longestBody)),
    maxBatch: 1_000,
    maxUpstreamBytes: 64 * 1024 * 1024,
    maxSubscriptions: 1_000,
    maxFilters: 10_000,
    maxLogBlocks: 100_000,
    maxProvenLogBlocks: 1_024,
    maxLogBytes: 25_000_000,
    maxInFlight: 200,
    maxCalls: 10_000,
    maxUpstreamCalls: 160,
    maxQueueMs: 5_000,
    maxBatchInFlight: Math.ceil((3 * (limits.maxUpstreamCalls ?? 160)) / 4),
    maxConnections: 20_000,
    maxHeldBytes,
    webSocketPingMs: 30_000,
    webSocketIdleMs: 3_600_000,
    ...definedOf(limits),
  }
}

/** Leaves out members that are there and undefined, which must not hide a default. */
function definedOf(limits: LimitsConfig): LimitsConfig {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined))
}
