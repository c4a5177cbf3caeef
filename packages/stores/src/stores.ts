import type { PinLedger } from '@wayleave/ipfs-http/server'
import type { AccountStore } from './accounts/account-store.ts'
import { followAccounts } from './accounts/follow-accounts.ts'
import { createSqlAccountStore } from './accounts/sql-account-store.ts'
import { StoresError } from './error.ts'
import type { FeeStore } from './fees/fee-store.ts'
import { createSqlFeeStore } from './fees/sql-fee-store.ts'
import type { FilterTable } from './filters/filter-store.ts'
import { createSqlFilterTable } from './filters/sql-filter-table.ts'
import { migrate } from './migrations/migrate.ts'
import { createSqlPinLedger } from './pins/sql-pin-ledger.ts'
import { openPostgres } from './open-postgres.ts'
import { openSqlite } from './open-sqlite.ts'
import { createSqlUsageStore } from './usage/sql-usage-store.ts'
import type { UsageStore } from './usage/usage-store.ts'

/** The database: an SQLite file whose folder exists, `:memory:`, or the URL of a PostgreSQL database. */
export type StoresOptions = { readonly sqlite: string } | { readonly postgres: string }

/** The open stores. */
export interface Stores extends AsyncDisposable {
  readonly fees: FeeStore
  readonly pins: PinLedger
  readonly accounts: AccountStore
  readonly usage: UsageStore
  readonly filters: FilterTable
  /** Sentences for the operator about what opening found and changed: files that were open to other users. */
  readonly notices: readonly string[]
  /**
   * Writes to the database. To be called every second or so: a probe after one that failed also tries to mend the database, see the
   * README. @throws StoresError, with the `fault`, where the database cannot be used now. It may take as long as the database is silent.
   */
  probe(): Promise<void>
  /** Waits for running calls, and closes every connection. May be called again. */
  close(): Promise<void>
}

/** Opens a database and brings it up to date. @throws StoresError with any code but `closed`. */
export async function openStores(options: StoresOptions): Promise<Stores> {
  const database = 'sqlite' in options ? await openSqlite(options.sqlite) : await openPostgres(options.postgres)
  const { db, dialect, where, explain } = database
  try {
    await migrate(db, dialect, where)
  } catch (thrown) {
    await database.close().catch(() => {})
    throw explain(thrown)
  }
  // From here on a file that is overwritten is told from this one. What the probe finds, the next one finds, too.
  if (dialect === 'sqlite') await database.probe().catch(() => {})
  const running = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined

  /** Runs work on the database. */
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

  /** Runs one call of a store. What was written into a file that is gone must fail, so the check comes after it, too. */
  async function call<T>(work: () => Promise<T>): Promise<T> {
    database.check()
    const done = await work().catch((thrown: unknown) => {
      // On a full disk nothing of it was kept, so it can be tried again.
      if (explain(thrown).fault !== 'full' || !database.makeRoom()) throw thrown
      return work()
    })
    database.check()
    return done
  }

  async function close(): Promise<void> {
    await Promise.allSettled(running)
    await database.close()
  }

  /** The store, with `close` waiting for each call, and errors in our words. */
  function tracked<T extends object>(store: T): T {
    const methods = Object.entries(store as Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>)
    return Object.fromEntries(
      methods.map(([name, method]) => [name, (...args: unknown[]) => run(() => call(() => method(...args)))]),
    ) as T
  }

  const accounts = tracked(createSqlAccountStore(db, dialect))
  const stores: Stores = {
    fees: tracked(createSqlFeeStore(db)),
    pins: tracked(createSqlPinLedger(db, dialect)),
    accounts: { ...accounts, follow: (how) => followAccounts(accounts, database.listen, how) },
    usage: tracked(createSqlUsageStore(database)),
    filters: tracked(createSqlFilterTable(database)),
    notices: database.notices,
    probe: () => run(database.probe),
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => stores.close(),
  }
  return stores
}
