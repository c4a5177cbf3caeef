import { integer, shown, type TypeOf } from '@wayleave/jsonrpc-core/schema'
import {
  bytes,
  bytesInMemory,
  count,
  defaultsOf,
  exact,
  milliseconds,
  networkLimits,
  setting,
  withDefaults,
} from '@wayleave/network/config'

const members = {
  requestTimeoutMs: setting(
    shown(milliseconds),
    'Longest wait for an answer to begin, and then for its next part, in ms.',
    30_000,
  ),
  readTimeoutMs: setting(
    shown(milliseconds),
    'Longest time for the head and the body of a request to come, in ms.',
    30_000,
  ),
  maxBodyBytes: setting(
    shown(bytesInMemory),
    'Longest request body and WebSocket message, in bytes, less than 2 GiB. Default: a ninth of `maxHeldBytes`, at most 5 MiB.',
  ),
  maxBatch: setting(shown(count), 'Most calls in a batch.', 1_000),
  maxUpstreamBytes: setting(
    shown(bytesInMemory),
    'Longest answer of an upstream that is held whole, in bytes, less than 2 GiB.',
    networkLimits.maxUpstreamBytes,
  ),
  maxSubscriptions: setting(shown(count), 'Most subscriptions of a connection.', 1_000),
  maxFilters: setting(
    shown(count),
    'Most filters of all networks, one over 1 KiB counted as several; a project alone may have nine tenths of them.',
    networkLimits.maxFilters,
  ),
  maxLogBlocks: setting(shown(count), 'Most blocks of the range of an `eth_getLogs`.', networkLimits.maxLogBlocks),
  maxInFlight: setting(shown(count), 'Most calls of a connection in flight; more wait.', 200),
  maxCalls: setting(
    shown(count),
    'Most calls of all connections in flight or waiting; a project alone may have nine tenths of them.',
    networkLimits.maxCalls,
  ),
  maxUpstreamCalls: setting(
    shown(count),
    'Most calls that an upstream is asked at once; a project alone may have nine tenths of them.',
    networkLimits.maxUpstreamCalls,
  ),
  maxConnections: setting(shown(count), 'Most connections of the JSON-RPC listener.', 20_000),
  maxHeldBytes: setting(
    shown(bytes),
    'Most bytes that callers of JSON-RPC make this process hold: requests, answers and what is not sent yet, in all; one project at most nine tenths of it, and an equal part while others need theirs. Default: a quarter of the memory, at most 192 MiB.',
  ),
  visitorPrefix: setting(
    shown(integer('a whole number of bits from 48 to 64', 48, 64)),
    'Leading bits of an IPv6 address by which `perVisitor` of a plan tells visitors apart: a line has all addresses of a /64, with many providers those of a /56.',
    64,
  ),
  webSocketPingMs: setting(
    shown(milliseconds),
    'How often a WebSocket is pinged, and how long it may take to answer, in ms.',
    30_000,
  ),
  webSocketIdleMs: setting(
    shown(milliseconds),
    'How long nothing but pings may pass before a WebSocket is closed, or no event before a stream of them ends, in ms.',
    3_600_000,
  ),
}

export const limitsSchema = exact('limits', members)

/** The bounds of a process and of each of its callers. */
export type LimitsConfig = TypeOf<typeof limitsSchema>

/** Limits that no configuration sets. Tests bring others by the surroundings. */
export interface FixedLimits {
  /** Longest wait for an upstream that has room for a call, in ms: a caller who waits longer does better to come again. */
  readonly maxQueueMs: number
  /** Most blocks of the range of an `eth_getLogs` where an upstream is `proven`: their headers are read one by one. */
  readonly maxProvenLogBlocks: number
  /** Longest logs of a long range in a batch or over a WebSocket, in bytes: they are held whole, and twice. */
  readonly maxLogBytes: number
  /** Most calls of a batch in flight, three quarters of `maxUpstreamCalls`, so that other calls find upstreams with room. */
  readonly maxBatchInFlight: number
}

/** All limits, with the default of each that the configuration leaves out. */
export type Limits = Required<LimitsConfig> & FixedLimits

/** Limits that the connections and slots of a network are made with. All others hold for callers, and change while a network goes on. */
export type UpstreamLimits = Pick<Limits, 'maxUpstreamBytes' | 'maxUpstreamCalls'>

/** The defaults that do not depend on the memory or on other limits. */
export const limitDefaults = defaultsOf(members)

/** Longest default of `maxHeldBytes`, in bytes. */
const mostHeld = 192 * 1024 * 1024

/** Longest default of `maxBodyBytes`, in bytes. */
const longestBody = 5 * 1024 * 1024
/** A body that came compressed is held four times as it came and four times inflated, in nine tenths of `maxHeldBytes`. */
const bodiesInHeld = 9

/**
 * Reads the limits of a configuration. `memoryBytes` is the memory that this process may
 * use. Default: plenty.
 */
export function limitsOf(
  { limits = {} }: { readonly limits?: LimitsConfig },
  memoryBytes: number = Number.POSITIVE_INFINITY,
  fixed: Partial<FixedLimits> = {},
): Limits {
  const maxHeldBytes = limits.maxHeldBytes ?? Math.min(Math.floor(memoryBytes / 4), mostHeld)
  const { maxUpstreamCalls = limitDefaults.maxUpstreamCalls } = limits
  const defaults = {
    ...limitDefaults,
    // Above 0, which means no limit to a WebSocket.
    maxBodyBytes: Math.max(1, Math.min(Math.floor(maxHeldBytes / bodiesInHeld), longestBody)),
    maxHeldBytes,
    maxQueueMs: networkLimits.maxQueueMs,
    maxProvenLogBlocks: networkLimits.maxProvenLogBlocks,
    maxLogBytes: networkLimits.maxLogBytes,
    maxBatchInFlight: Math.ceil((3 * maxUpstreamCalls) / 4),
    ...fixed,
  }
  return withDefaults(defaults, limits)
}
