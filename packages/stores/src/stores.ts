import { StoresError } from './error.ts'
import type { FeeStore } from './fees/fee-store.ts'
import { createSqlFeeStore } from './fees/sql-fee-store.ts'
import { migrate } from './migrations/migrate.ts'
import type { PinLedger } from './pins/pin-ledger.ts'
import { createSqlPinLedger } from './pins/sql-pin-ledger.ts'
import { openPostgres } from './open-postgres.ts'
import { openSqlite } from './open-sqlite.ts'

/** The database: an SQLite file whose folder exists, `:memory:`, or the URL of a PostgreSQL database. */
export type StoresOptions = { readonly sqlite: string } | { readonly postgres: string }

/** The open stores. */
export interface Stores extends AsyncDisposable {
  readonly fees: FeeStore
  readonly pins: PinLedger
  /** Waits for running calls, and closes every connection. May be called again. */
  close(): Promise<void>
}

/** Opens a database and brings it up to date. @throws StoresError with any code but `closed`. */
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

  /** Runs one call of a store. */
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

  /** The store, with `close` waiting for each call, and errors in our words. */
  function tracked<T extends object>(store: T): T {
    const methods = Object.entries(store as Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>)
    return Object.fromEntries(
      methods.map(([name, call]) => [name, (...args: unknown[]) => run(() => call(...args))]),
    ) as T
  }

  const stores: Stores = {
    fees: tracked(createSqlFeeStore(db)),
    pins: tracked(createSqlPinLedger(db, dialect)),
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => stores.close(),
  }
  return stores
}
