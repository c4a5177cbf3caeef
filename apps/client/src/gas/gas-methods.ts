import { loadOnce } from '../load-once.ts'
import type { GasMethods, GasSetting } from './gas-calls.ts'

/** Creates gas methods whose code loads with the first call. */
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
