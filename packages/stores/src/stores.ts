import { StoresError } from './error.ts'
import type { FeeStore } from './fees/fee-store.ts'
import { createSqlFeeStore } from './fees/sql-fee-store.ts'
import { migrate } from './migrations/migrate.ts'
import type { PinLedger } from './pins/pin-ledger.ts'
import { createSqlPinLedger } from './pins/sql-pin-ledger.ts'
import { openPostgres } from './postgres/open-postgres.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'

/** Where the data lives: a file (`:memory:` for none; its folder must exist), or a PostgreSQL database. */
export type StoresOptions = { readonly sqlite: string } | { readonly postgres: string }

/** The open stores. */
export interface Stores extends AsyncDisposable {
  readonly fees: FeeStore
  readonly pins: PinLedger
  /** Waits for what is being written, and closes every connection. May be called again. */
  close(): Promise<void>
}

/** Opens a database and brings it up to date. @throws StoresError with every code but `closed`. */
export async function openStores(options: StoresOptions): Promise<Stores> {
  const { db, dialect, where, explain } =
    'sqlite' in options ? await openSqlite(options.sqlite) : await openPostgres(options.postgres)
  try {
    await migrate(db, dialect, where)
  } catch (thrown) {
    await db.destroy().catch(() => {})
    throw explain(thrown)
  }
  const running = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined

  function run<T>(work: () => Promise<T>): Promise<T> {
    if (closing !== undefined) return Promise.reject(new StoresError('closed', 'the stores were closed'))
    const done = work().catch((thrown: unknown) => {
      throw explain(thrown)
    })
    running.add(done)
    const forget = (): void => void running.delete(done)
    done.then(forget, forget)
    return done
  }

  async function close(): Promise<void> {
    await Promise.allSettled(running)
    await db.destroy()
  }

  const fees = createSqlFeeStore(db)
  const pins = createSqlPinLedger(db, dialect)
  const stores: Stores = {
    fees: {
      load: (network) => run(() => fees.load(network)),
      save: (network, record) => run(() => fees.save(network, record)),
    },
    pins: {
      put: (...args) => run(() => pins.put(...args)),
      get: (...args) => run(() => pins.get(...args)),
      isPinned: (...args) => run(() => pins.isPinned(...args)),
      remove: (...args) => run(() => pins.remove(...args)),
      replace: (...args) => run(() => pins.replace(...args)),
      list: (...args) => run(() => pins.list(...args)),
      roots: (...args) => run(() => pins.roots(...args)),
      charge: (...args) => run(() => pins.charge(...args)),
      usage: (...args) => run(() => pins.usage(...args)),
    },
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => stores.close(),
  }
  return stores
}
