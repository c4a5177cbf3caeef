import { loadOnce } from '../load-once.ts'
import type { Redaction } from '../redaction.ts'
import type { GasMethods, GasSetting } from './gas-calls.ts'

/** Creates gas methods whose code loads with the first call. */
export function gasMethods(setting: GasSetting, redaction: Redaction): GasMethods {
  const load = loadOnce(async () => (await import('./gas-calls.ts')).createGasCalls(setting))
  const call = async <T>(method: (gas: GasMethods) => Promise<T>): Promise<T> => {
    try {
      return await method(await load())
    } catch (thrown) {
      throw redaction.error(thrown)
    }
  }
  return {
    suggested: (options) => call((gas) => gas.suggested(options)),
    async *watch(options) {
      try {
        yield* (await load()).watch(options)
      } catch (thrown) {
        throw redaction.error(thrown)
      }
    },
    baseFeeHistory: (options) => call((gas) => gas.baseFeeHistory(options)),
    baseFeePercentile: (options) => call((gas) => gas.baseFeePercentile(options)),
    busyThreshold: (options) => call((gas) => gas.busyThreshold(options)),
  }
}
