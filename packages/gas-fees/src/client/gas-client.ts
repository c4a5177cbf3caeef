import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import type { Schema } from '@wayleave/jsonrpc-core/schema'
import { systemRandom } from '../defaults.ts'
import type { Gwei, SuggestedGasFees } from '../suggestion.ts'
import {
  checkedAnswer,
  gweiListSchema,
  namesSchema,
  percentileSchema,
  suggestionSchema,
  thresholdSchema,
} from './answer-schemas.ts'
import { createGasHost } from './gas-host.ts'
import { watchFees } from './watch-fees.ts'

export interface GasClientOptions {
  /** The host, with any path that comes before `/networks`: `https://gas.example.org`. */
  readonly url: string
  readonly apiKey?: string | undefined
  /** With a secret, the key goes into HTTP Basic; else into the path (`/v3/<key>/networks/…`), which needs no preflight in browsers. */
  readonly apiKeySecret?: string | undefined
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** How long a call may take, in ms. Default 10,000. */
  readonly timeoutMs?: number | undefined
  readonly clock?: Clock | undefined
  /** Draws a number from 0 up to 1, for the waits between attempts. */
  readonly random?: (() => number) | undefined
}

export interface GasCallOptions {
  readonly signal?: AbortSignal | undefined
}

/** Calls the gas API of a gateway or another host. Each call rejects with a `GasFeesError`. */
export interface GasClient {
  /** The suggestion now. */
  suggested(chainId: number | string, options?: GasCallOptions): Promise<SuggestedGasFees>
  /** Base fees of the newest blocks, oldest first. */
  baseFeeHistory(chainId: number | string, options?: GasCallOptions): Promise<readonly Gwei[]>
  /** Their median. */
  baseFeePercentile(chainId: number | string, options?: GasCallOptions): Promise<Gwei>
  /** The base fee above which the network is busy: nine of ten blocks cost less. */
  busyThreshold(chainId: number | string, options?: GasCallOptions): Promise<Gwei>
  /** Names by chain id. */
  supportedChainNames(options?: GasCallOptions): Promise<Readonly<Record<string, string>>>
  /**
   * Yields the suggestion now and each new one, until the iteration is left or the signal aborts. Reconnects without end, and
   * polls a host that has no stream. Throws only errors that asking again cannot cure: all but `unavailable`, `timeout`, `connect`.
   */
  watch(chainId: number | string, options?: GasCallOptions): AsyncIterableIterator<SuggestedGasFees>
}

/**
 * Creates a client of the gas API. Nothing is opened before the first call.
 * @throws GasFeesError `malformed` for a wrong URL, or one with credentials.
 */
export function createGasClient(options: GasClientOptions): GasClient {
  const { url, apiKey, apiKeySecret, fetch = globalThis.fetch, timeoutMs = 10_000, clock = systemClock } = options
  const { random = systemRandom } = options
  const host = createGasHost({ url, apiKey, apiKeySecret, fetch, timeoutMs, clock })

  async function get<T>(path: string, schema: Schema<T>, { signal }: GasCallOptions = {}): Promise<T> {
    const { value } = await host.get(path, signal)
    return checkedAnswer(value, schema)
  }

  const suggestedPath = (chainId: number | string): string => pathOf(chainId, 'suggestedGasFees')
  return {
    suggested: (chainId, call) => get(suggestedPath(chainId), suggestionSchema, call),
    baseFeeHistory: (chainId, call) => get(pathOf(chainId, 'baseFeeHistory'), gweiListSchema, call),
    async baseFeePercentile(chainId, call) {
      return (await get(pathOf(chainId, 'baseFeePercentile'), percentileSchema, call)).baseFeePercentile
    },
    async busyThreshold(chainId, call) {
      return (await get(pathOf(chainId, 'busyThreshold'), thresholdSchema, call)).busyThreshold
    },
    supportedChainNames: (call) => get('/v1/supportedChainNames', namesSchema, call),
    watch: (chainId, { signal } = {}) => watchFees({ host, path: suggestedPath(chainId), clock, random, signal }),
  }
}

function pathOf(chainId: number | string, view: string): string {
  return `/networks/${encodeURIComponent(String(chainId))}/${view}`
}
