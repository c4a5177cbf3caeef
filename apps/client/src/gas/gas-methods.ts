import type { Gwei, SuggestedGasFees } from '@wayleave/gas-fees'
import type { RpcHandler } from '@wayleave/jsonrpc-core'
import { loadOnce } from '../load-once.ts'
import type { ClientOptions } from '../options.ts'
import type { GasHost } from '../urls.ts'

export interface GasOptions {
  readonly signal?: AbortSignal | undefined
}

/**
 * Gas fees of the client's network, in decimal gwei: by the gas API of a gateway (Spec §4.11), or computed here from a node's
 * `eth_feeHistory`. Each rejects with a `GasFeesError`. The code for it loads with the first call.
 */
export interface GasMethods {
  suggested(options?: GasOptions): Promise<SuggestedGasFees>
  /**
   * The suggestion now, and another after each block, until the iteration is left or the signal aborts. A reader who is
   * slow gets the newest.
   */
  watch(options?: GasOptions): AsyncIterableIterator<SuggestedGasFees>
  /** Base fees of the last 500 blocks, oldest first. */
  baseFeeHistory(options?: GasOptions): Promise<readonly Gwei[]>
  /** The median of those. */
  baseFeePercentile(options?: GasOptions): Promise<Gwei>
  /** Above it the network is busy: nine of ten blocks cost less. */
  busyThreshold(options?: GasOptions): Promise<Gwei>
}

export interface GasSetting {
  /** Undefined: there is none, and a node is asked. */
  readonly host: GasHost | undefined
  readonly handler: RpcHandler
  readonly chainId: ClientOptions['chainId']
  readonly timeoutMs: number
}

/** The methods, whose code is loaded when one of them is called. */
export function gasMethods(setting: GasSetting): GasMethods {
  const load = loadOnce(async () => (await import('./gas-calls.ts')).createGasCalls(setting))
  return {
    suggested: async (options) => (await load()).suggested(options),
    async *watch(options) {
      yield* (await load()).watch(options)
    },
    baseFeeHistory: async (options) => (await load()).baseFeeHistory(options),
    baseFeePercentile: async (options) => (await load()).baseFeePercentile(options),
    busyThreshold: async (options) => (await load()).busyThreshold(options),
  }
}
