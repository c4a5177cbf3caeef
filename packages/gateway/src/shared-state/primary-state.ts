import { createMemoryFilterStore, type FilterStore } from '@wayleave/evm-events'
import type { Clock } from '@wayleave/jsonrpc-core'
import { createMemoryAuthority, type LimitAuthority } from '@wayleave/metering'
import { createSharedStores } from '@wayleave/stores/shared-state'
import type { UsageKeeper } from '../metering/usage-keeper.ts'
import type { GivenLabels } from '../telemetry/project-label.ts'
import type { SharedState } from './shared-state.ts'
import type { OpenStore } from '../store.ts'
import { type AccountRelay, createAccountRelay } from './account-relay.ts'
import { type ChainViews, createChainViews } from './chain-views.ts'
import type { Channel } from './channel.ts'
import type { createNetworkQuestions } from './network-questions.ts'
import { createPrimaryPort, type PrimaryPort } from './primary-port.ts'
import { serveMethods } from './remote-methods.ts'
import { serveLabels } from './worker-labels.ts'
import { serveUsage } from './worker-usage.ts'

/** The state that the workers of a gateway share in their primary. */
export interface PrimaryState {
  /** The same state as the primary itself uses it; in the place of Redis, which goes before it. */
  readonly shared: SharedState
  /** Opens the views of chains that workers mirror. */
  readonly views: ChainViews
  readonly authority: LimitAuthority
  readonly port: PrimaryPort
  /** The workers that are served. */
  readonly workers: Set<Channel>
}

export interface PrimaryStateOptions {
  readonly newId: () => string
  readonly clock: Clock
  /** Called when a bucket of a limit was forgotten for a newer one. */
  readonly onForgotten?: (() => void) | undefined
}

/** Creates the state of a primary without workers. It ends with the primary. */
export function createPrimaryState({ newId, clock, onForgotten }: PrimaryStateOptions): PrimaryState {
  const workers = new Set<Channel>()
  // The primary spends, too: its gas history, and what IPFS counts.
  const processes = (): number => workers.size + 1
  const port = createPrimaryPort({ clock, processes })
  const authority = createMemoryAuthority({ clock, onForgotten })
  const filters = createMemoryFilters(clock)
  return {
    workers,
    port,
    authority,
    views: createChainViews({ clock }),
    shared: {
      ...createSharedStores(port, clock),
      limits: { authority, process: newId(), replicas: processes, fault: () => undefined },
      filters,
      fault: () => undefined,
      close: async () => {},
    },
  }
}

/** The parts of a primary that its workers use. */
export interface PrimaryParts {
  readonly state: PrimaryState
  readonly store: OpenStore
  readonly questions: ReturnType<typeof createNetworkQuestions>
  /** Undefined: usage is not counted. */
  readonly usage: Pick<UsageKeeper, 'take'> | undefined
  /** Reads the accounts of the store for all workers. Undefined: there is no store. */
  readonly accounts: AccountRelay | undefined
  /** The labels of projects in metrics. */
  readonly labels: GivenLabels
}

/** All that a worker is told when it opens. */
export interface WorkerWelcome {
  /** The processes that share limits and budgets. */
  readonly processes: number
  /** The member of the configuration that names the store; undefined: there is none. */
  readonly storePath: string | undefined
  readonly countsUsage: boolean
}

/** One question for a limit. */
export type TakeMessage = Parameters<LimitAuthority['take']>

export const feeMethods = ['load', 'save'] as const
export const usageMethods = ['query'] as const
export const filterMethods = ['get', 'put', 'remove', 'list'] as const

/** Serves a worker the state of its primary. The function returned ends that; the end of the channel does, too. */
export function servePrimaryState(
  { state, store, questions, usage, accounts, labels }: PrimaryParts,
  channel: Channel,
): () => void {
  const { workers, port, views, authority, shared } = state
  let isOpen = false

  function reportProcesses(): void {
    for (const worker of workers) worker.report('state.processes', workers.size + 1)
  }

  function end(): void {
    if (!workers.delete(channel)) return
    reportProcesses()
  }

  channel.serve('state.open', (): WorkerWelcome => {
    if (!isOpen) workers.add(channel)
    isOpen = true
    reportProcesses()
    return { processes: workers.size + 1, storePath: store.accounts?.path, countsUsage: usage !== undefined }
  })
  channel.serve('limits.take', (asked) => authority.take(...(asked as TakeMessage)))
  port.serve(channel)
  views.serve(channel)
  questions.serve(channel)
  serveMethods(channel, 'store.fees', store.fees, feeMethods)
  if (store.usage !== undefined) serveMethods(channel, 'store.usage', store.usage, usageMethods)
  serveMethods(channel, 'store.filters', filterTable(store, shared), filterMethods)
  if (usage !== undefined) serveUsage(channel, usage)
  accounts?.serve(channel)
  serveLabels(channel, labels)
  channel.onClose(end)
  return end
}

/** Opens the relay of the accounts, to be handed to {@link servePrimaryState} for each worker. */
export function openAccountRelay({ accounts }: OpenStore, clock: Clock): AccountRelay | undefined {
  return accounts && createAccountRelay(accounts, { clock })
}

type StoredFilter = Parameters<FilterStore['put']>[0]

export interface NetworkFilters {
  get(network: string, id: string): Promise<StoredFilter | undefined>
  put(network: string, filter: StoredFilter, most?: number): Promise<boolean>
  remove(network: string, id: string): Promise<boolean>
  list(network: string, now: number, limit: number): Promise<readonly StoredFilter[]>
}

function filterTable({ filters: table }: OpenStore, { filters }: Pick<SharedState, 'filters'>): NetworkFilters {
  return (
    table ?? {
      get: (network, id) => filters(network).get(id),
      put: (network, ...asked) => filters(network).put(...asked),
      remove: (network, id) => filters(network).remove(id),
      list: (network, now, limit) => filters(network).list(now, limit),
    }
  )
}

/** Keeps filters in memory, by network. */
function createMemoryFilters(clock: Clock): SharedState['filters'] {
  const stores = new Map<string, ReturnType<SharedState['filters']>>()
  return (network) => {
    let store = stores.get(network)
    if (store === undefined) {
      // Filters of a worker that died count for none until they expire.
      store = { ...createMemoryFilterStore(clock), list: async () => [] }
      stores.set(network, store)
    }
    return store
  }
}
