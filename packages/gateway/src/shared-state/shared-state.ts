import type { Clock } from '@wayleave/jsonrpc-core'
import type { RedisStores } from '@wayleave/stores'
import type { SharedStores } from '@wayleave/stores/shared-state'
import { chainKey } from '@wayleave/network'
import type { Log } from '@wayleave/telemetry'
import type { PinnedConfig } from '../chains/pinned-config.ts'
import { type Config, configDefaults } from '../config/config.ts'
import type { SharedLimits } from '../metering/watch-shared-limits.ts'
import { faultWords, type StoreWatch } from '../telemetry/store-watch.ts'
import { storeProblem } from '../store.ts'

/** State that the replicas of a gateway share through Redis. While it is gone, each goes on with what it knows. */
export interface SharedState extends SharedStores, Pick<RedisStores, 'filters'>, Pick<StoreWatch, 'fault'> {
  readonly limits: SharedLimits
  close(): Promise<void>
}

/**
 * Opens the configured Redis; its code loads only here. Resolves when what it knows of each network is known here, or after a second or two
 * where it is gone. @throws ConfigError for a URL that is none
 */
export async function openSharedState(
  { redis: url, networks, replicas = configDefaults.replicas }: Pick<PinnedConfig, 'redis' | 'networks' | 'replicas'>,
  { newId, clock, log }: { readonly newId: () => string; readonly clock: Clock; readonly log: Log },
): Promise<SharedState | undefined> {
  if (url === undefined) return undefined
  const { openRedis } = await import('@wayleave/stores')
  const redis = await openRedis({ url, leastProcesses: replicas, clock }).catch((thrown: unknown) => {
    throw storeProblem(thrown, 'redis') ?? thrown
  })
  const fault = (): string | undefined => {
    const state = redis.state()
    return state.connected ? undefined : faultWords[state.fault]
  }
  const report = (): void => {
    const why = fault()
    if (why === undefined) log.warn({}, 'redis works again')
    else log.error({ reason: why }, 'redis cannot be used; this process goes on by itself until it works again')
  }
  if (!redis.state().connected) report()
  const stopReporting = redis.onState(report)
  const process = newId()
  const processes = await redis.limits.join(process)
  const keys = Object.entries(networks).map(([name, network]) => chainKey(name, network))
  await Promise.all(keys.map((key) => redis.view(key).settled()))
  return {
    limits: { authority: redis.limits, process, replicas: () => Math.max(replicas, processes.count()), fault },
    cordons: redis.cordons,
    view: redis.view,
    pushes: redis.pushes,
    filters: redis.filters,
    spend: redis.spend,
    fault,
    async close() {
      stopReporting()
      await processes.leave()
      await redis.close()
    },
  }
}

const shareable: readonly string[] = ['heads and nonces told', 'cordons', 'limits', 'filters', 'upstream budgets']

/** The state that other replicas do not know, in words. Those with one `store` share their filters there. */
export function perProcessState(shared: SharedState | undefined, { store }: Pick<Config, 'store'>): readonly string[] {
  if (shared !== undefined) return []
  return store === undefined ? shareable : shareable.filter((state) => state !== 'filters')
}
