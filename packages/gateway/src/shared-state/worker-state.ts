import type { Clock } from '@wayleave/jsonrpc-core'
import type { LimitGrant } from '@wayleave/metering'
import { createSharedStores } from '@wayleave/stores/shared-state'
import type { Log } from '@wayleave/telemetry'
import type { ViewOpener } from '@wayleave/network'
import type { UsageKeeper } from '../metering/usage-keeper.ts'
import type { SharedState } from './shared-state.ts'
import type { OpenStore } from '../store.ts'
import { workerAccounts } from './account-relay.ts'
import { createChainMirrors } from './chain-mirrors.ts'
import type { Channel } from './channel.ts'
import {
  feeMethods,
  filterMethods,
  type NetworkFilters,
  type TakeMessage,
  usageMethods,
  type WorkerWelcome,
} from './primary-state.ts'
import { askInTime, remoteMethods } from './remote-methods.ts'
import { createWorkerPort } from './worker-port.ts'
import { workerUsage } from './worker-usage.ts'

/** The state of a worker that must agree with that of the others. The primary keeps it. */
export interface WorkerState {
  /** In the place of Redis, which goes before it. */
  readonly shared: SharedState
  readonly store: OpenStore
  /** Undefined: usage is not counted. */
  readonly usage: UsageKeeper | undefined
  readonly views: ViewOpener
}

export interface WorkerStateOptions {
  readonly newId: () => string
  readonly clock: Clock
  readonly log: Log
}

/** Longest wait for the store of the primary, in ms. */
const storeMs = 30_000
/** Longest wait for it to serve a worker that begins, in ms. */
const openMs = 10_000

/** Opens the state of a worker. Rejects where the primary does not serve it within ten seconds. */
export async function openWorkerState(
  channel: Channel,
  { newId, clock, log }: WorkerStateOptions,
): Promise<WorkerState> {
  let processes = 1
  channel.serve('state.processes', (count) => {
    processes = count as number
  })
  // Opened first, so the cordons are here once the primary answers what is asked next.
  const shared = createSharedStores(createWorkerPort(channel, { clock }), clock)
  const welcome = (await askInTime(channel, 'state.open', undefined, { clock, timeoutMs: openMs })) as WorkerWelcome
  ;({ processes } = welcome)
  const remote = { clock, timeoutMs: storeMs }
  const filters = remoteMethods<NetworkFilters>(channel, 'store.filters', filterMethods, remote)
  const { storePath, countsUsage } = welcome
  const usage = countsUsage ? workerUsage(channel, { clock, log }) : undefined
  return {
    usage,
    views: createChainMirrors(channel, { clock }),
    shared: {
      ...shared,
      limits: {
        authority: { take: async (...asked: TakeMessage) => (await channel.ask('limits.take', asked)) as LimitGrant },
        process: newId(),
        replicas: () => processes,
        keeper: 'the primary process',
        fault: () => undefined,
      },
      filters: (network) => ({
        get: (id) => filters.get(network, id),
        put: (...asked) => filters.put(network, ...asked),
        remove: (id) => filters.remove(network, id),
        list: (now, limit) => filters.list(network, now, limit),
      }),
      fault: () => undefined,
      close: async () => {},
    },
    store: {
      fees: remoteMethods<OpenStore['fees']>(channel, 'store.fees', feeMethods, remote),
      pins: undefined,
      accounts: storePath === undefined ? undefined : workerAccounts(channel, storePath, clock),
      usage: countsUsage ? remoteUsage(remoteMethods(channel, 'store.usage', usageMethods, remote)) : undefined,
      filters: undefined,
      operated: undefined,
      watch: undefined,
      close: async () => {},
    },
  }
}

type UsageStore = NonNullable<OpenStore['usage']>

/** The primary alone writes usage. */
function remoteUsage({ query }: Pick<UsageStore, 'query'>): UsageStore {
  const refuse = (): Promise<never> => Promise.reject(new TypeError('a worker writes no usage to the store'))
  return { query, add: refuse, lastSeq: refuse, prune: refuse }
}
