import type * as Sqlite from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { delay } from './defaults.ts'

/** How long a transaction waits for another writer, and how often it tries, in ms. */
const patienceMs = 5_000
const lookEveryMs = 40

/** Runs Kysely's SQLite dialect on `node:sqlite`. `current` is asked for the connection at each statement, so it can be exchanged. */
export function nodeSqliteDialect(current: () => Sqlite.DatabaseSync): Dialect {
  return {
    createAdapter: () => new Adapter(),
    createDriver: () => new Driver({ database: asKysely(current) }),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** Adapts the driver. `reader` is always true: `all` runs any statement to its end, and gives no rows where there is no result. */
function asKysely(current: () => Sqlite.DatabaseSync): SqliteDatabase {
  return {
    close: () => current().close(),
    prepare(sql) {
      const statement = current().prepare(sql)
      return {
        reader: true,
        all: (parameters) => statement.all(...(parameters as Sqlite.SQLInputValue[])),
        run: (parameters) => statement.run(...(parameters as Sqlite.SQLInputValue[])),
        iterate: (parameters) => statement.iterate(...(parameters as Sqlite.SQLInputValue[])),
      }
    },
  }
}

/** Allows schema changes in transactions: SQLite rolls them back like all others, and ours hold the writer's lock from the start. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class Driver extends SqliteDriver {
  /** Takes the writer's lock at the start, and waits for it without blocking the thread. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    for (let waited = 0; ; waited += lookEveryMs) {
      try {
        await connection.executeQuery(CompiledQuery.raw('begin immediate'))
        return
      } catch (thrown) {
        if (!isBusy(thrown) || waited >= patienceMs) throw thrown
        await delay(lookEveryMs)
      }
    }
  }

  /** After some errors, such as a full disk, SQLite has rolled back by itself; the first error is the one to tell. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await connection.executeQuery(CompiledQuery.raw('rollback'))
    } catch (thrown) {
      if (!/no transaction is active/.test(String(thrown))) throw thrown
    }
  }
}

/** Primary result codes of SQLite. */
export const sqliteCodes = { busy: 5, locked: 6, readOnly: 8, corrupt: 11, full: 13, notADatabase: 26 } as const

/** The primary result code of an error of `node:sqlite`; undefined for anything else. */
export function sqliteCodeOf(thrown: unknown): number | undefined {
  const code = (thrown as { readonly errcode?: unknown } | undefined)?.errcode
  return typeof code === 'number' ? code & 0xff : undefined
}

/** Whether another connection holds the lock. */
export function isBusy(thrown: unknown): boolean {
  const code = sqliteCodeOf(thrown)
  return code === sqliteCodes.busy || code === sqliteCodes.locked
}
