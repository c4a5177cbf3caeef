import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createMemoryFeeStore, type FeeStore } from '@wayleave/gas-fees'
import type { PinLedger } from '@wayleave/ipfs-http/server'
import type { Clock } from '@wayleave/jsonrpc-core'
import type {
  AccountStore,
  FilterTable,
  StoreFault,
  Stores,
  StoresError,
  StoresOptions,
  UsageStore,
} from '@wayleave/stores'
import type { Log } from '@wayleave/telemetry'
import { ConfigError } from './config/check.ts'
import type { Config } from './config/config.ts'
import { type StoreWatch, watchStore } from './telemetry/store-watch.ts'

/** The open store of a gateway. */
export interface OpenStore {
  readonly fees: FeeStore
  /** Undefined where the store ends with the process. */
  readonly pins: PinLedger | undefined
  /** Likewise. */
  readonly accounts: AccountSource | undefined
  /** Undefined likewise. */
  readonly usage: UsageStore | undefined
  /** Undefined likewise. */
  readonly filters: FilterTable | undefined
  /** The parts that operators read and change; likewise. */
  readonly operated: Pick<Stores, 'accounts' | 'usage'> | undefined
  /** Undefined for memory, which cannot be gone. */
  readonly watch: StoreWatch | undefined
  close(): Promise<void>
}

/** The accounts of a store, as the gateway reads them. */
export interface AccountSource extends Pick<AccountStore, 'follow' | 'touch'> {
  /** The member of the configuration that names the store. */
  readonly path: string
  /** As {@link StoreWatch}. */
  fault(): string | undefined
}

/** Opens the configured store, and watches it. @throws ConfigError, without credentials, where it cannot be opened */
export async function openStore(
  config: Pick<Config, 'store' | 'dataDir'>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<OpenStore> {
  const place = storePlace(config)
  if (place === 'memory') {
    return {
      fees: createMemoryFeeStore(),
      pins: undefined,
      accounts: undefined,
      usage: undefined,
      filters: undefined,
      operated: undefined,
      watch: undefined,
      close: async () => {},
    }
  }
  const path = config.store === undefined ? 'dataDir' : `store.${kindOf(place)}`
  const stores = await open(place, path)
  for (const notice of stores.notices) log.warn({}, notice)
  const watch = watchStore({ kind: kindOf(place), probe: () => stores.probe(), clock, log })
  return {
    fees: watched(stores.fees, watch),
    pins: watched(stores.pins, watch),
    accounts: {
      path,
      fault: watch.fault,
      // Its reads go on while the store is away, and find out when it is back.
      follow: stores.accounts.follow,
      touch: (uses) => watch.run(() => stores.accounts.touch(uses)),
    },
    usage: watched(stores.usage, watch),
    filters: watched(stores.filters, watch),
    operated: stores,
    watch,
    async close() {
      watch.close()
      await stores.close()
    },
  }
}

/** Finds the database of a configuration; `memory`: what it keeps ends with the process. */
export function storePlace({ store, dataDir }: Pick<Config, 'store' | 'dataDir'>): StoresOptions | 'memory' {
  return store ?? (dataDir === undefined ? 'memory' : { sqlite: join(dataDir, 'wayleave.sqlite') })
}

function kindOf(place: StoresOptions): StoreWatch['kind'] {
  return 'sqlite' in place ? 'sqlite' : 'postgres'
}

async function open(place: StoresOptions, path: string) {
  // A gateway that keeps nothing need not load two databases.
  const { openStores } = await import('@wayleave/stores')
  try {
    if ('sqlite' in place) await mkdir(dirname(place.sqlite), { recursive: true })
    return await openStores(place)
  } catch (thrown) {
    throw storeProblem(thrown, path) ?? thrown
  }
}

/** Explains an error of the stores, or of the file system, to whoever wrote the configuration; undefined for any other. */
export function storeProblem(thrown: unknown, path: string): ConfigError | undefined {
  const expected = 'a store that can be opened'
  if (!(thrown instanceof Error) || thrown.name !== 'StoresError') {
    const got = folderFault(thrown)
    return got === undefined ? undefined : new ConfigError([{ path, expected, got }])
  }
  const { code, message, fault } = thrown as StoresError
  const isTemporary = fault !== undefined && temporaryFaults.has(fault)
  const problem = { path, expected, got: `one that is ${code}: ${message}` }
  const hint = 'nothing here has to be changed: start again once it can be used'
  return new ConfigError([isTemporary ? { ...problem, hint } : problem], undefined, isTemporary)
}

/** Faults that end without another configuration. */
const temporaryFaults: ReadonlySet<StoreFault> = new Set(['unreachable', 'silent', 'busy', 'full', 'read_only'])

/** The store, with each call run by the watch. */
function watched<T extends object>(store: T, watch: StoreWatch): T {
  const methods = Object.entries(store as Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>)
  return Object.fromEntries(
    methods.map(([name, method]) => [name, (...args: unknown[]) => watch.run(() => method(...args))]),
  ) as T
}

/** Describes an error of the file system; undefined for any other. */
function folderFault(thrown: unknown): string | undefined {
  const { code, syscall } = thrown as NodeJS.ErrnoException
  return syscall === undefined ? undefined : `a folder that cannot be made (${code})`
}
