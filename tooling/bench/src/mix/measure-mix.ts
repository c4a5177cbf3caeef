import { account, type MeasureOptions, pidsOf } from '../measure.ts'
import type { Measurement } from '../measurement.ts'
import { runMixedLoad } from './mixed-load.ts'

/** Measures the mix: CPU time a call, calls a second, and the share of the calls that did not go upstream. */
export async function measureMix(options: MeasureOptions & { readonly seed: number }): Promise<Measurement['values']> {
  const { subject, upstream, clock, connections, ms, seed } = options
  const run = (): ReturnType<typeof runMixedLoad> =>
    runMixedLoad({ subject: subject.name, target: subject.target, connections, ms, clock, seed })
  const { calls, elapsedMs, usage, uncached } = await account({ subject, upstream, clock }, pidsOf(options), run)
  return { ...usage, perSecond: calls / (elapsedMs / 1000), cachedPercent: 100 * (1 - uncached) }
}
