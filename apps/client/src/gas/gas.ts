import type { ClientApi } from '../api.ts'
import { assertOptions } from '../assert-options.ts'
import { loadOnce } from '../load-once.ts'
import type { Redaction } from '../redaction.ts'
import type { GasMethods, GasSetting } from './gas-calls.ts'
import { gasHostOf } from './gas-host.ts'

export interface GasApiOptions {
  /** A host of the gas API other than the gateway, such as `https://gas.api.infura.io`. It gets the same key, and secret or token. */
  readonly url?: string
  /** The network's chain id. Default: asked once. */
  readonly chainId?: number
}

/** Makes the gas fees of a client, for `apis` of `createClient`: `{ gas: gas() }`. @throws TypeError */
export function gas(options: GasApiOptions = {}): ClientApi<GasMethods> {
  assertOptions(options, 'gas', { gas: 'url chainId' })
  const { url, chainId } = options
  return {
    url,
    open: (host) => {
      const { bearer, handler, timeoutMs, redaction } = host
      return gasMethods({ host: gasHostOf(host, url), bearer, handler, chainId, timeoutMs }, redaction)
    },
  }
}

/** Creates gas methods whose code loads with the first call. */
function gasMethods(setting: GasSetting, redaction: Redaction): GasMethods {
  const load = loadOnce(async () => (await import('./gas-calls.ts')).createGasCalls(setting))
  const call = async <T>(method: (calls: GasMethods) => Promise<T>): Promise<T> => {
    try {
      return await method(await load())
    } catch (thrown) {
      throw redaction.error(thrown)
    }
  }
  return {
    suggested: (options) => call((calls) => calls.suggested(options)),
    async *watch(options) {
      try {
        yield* (await load()).watch(options)
      } catch (thrown) {
        throw redaction.error(thrown)
      }
    },
    baseFeeHistory: (options) => call((calls) => calls.baseFeeHistory(options)),
    baseFeePercentile: (options) => call((calls) => calls.baseFeePercentile(options)),
    busyThreshold: (options) => call((calls) => calls.busyThreshold(options)),
  }
}
