import type { Config, LimitsConfig } from './config.ts'

/** All limits, with the default of each that the configuration leaves out. */
export type Limits = Required<LimitsConfig>

/** Reads the limits of a configuration. {@link LimitsConfig} says what each one protects. */
export function limitsOf({ limits = {} }: Pick<Config, 'limits'>): Limits {
  return {
    requestTimeoutMs: 30_000,
    readTimeoutMs: 30_000,
    maxBodyBytes: 5 * 1024 * 1024,
    maxBatch: 1_000,
    maxUpstreamBytes: 64 * 1024 * 1024,
    maxSubscriptions: 1_000,
    maxInFlight: 200,
    maxCalls: 10_000,
    maxUpstreamCalls: 160,
    maxQueueMs: 5_000,
    maxBatchInFlight: Math.ceil((3 * (limits.maxUpstreamCalls ?? 160)) / 4),
    maxConnections: 20_000,
    webSocketPingMs: 30_000,
    webSocketIdleMs: 3_600_000,
    ...definedOf(limits),
  }
}

/** Leaves out members that are there and undefined, which must not hide a default. */
function definedOf(limits: LimitsConfig): LimitsConfig {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined))
}
