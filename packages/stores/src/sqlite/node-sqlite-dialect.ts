import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
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
import { delay } from '../defaults.ts'

/** How long a transaction waits for another writer, and how often it looks, in ms. */
const patienceMs = 5_000
const lookEveryMs = 40

/** Kysely's SQLite over `node:sqlite`. */
export function nodeSqliteDialect(db: DatabaseSync): Dialect {
  return {
    createAdapter: () => new Adapter(),
    createDriver: () => new Driver({ database: asKysely(db) }),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** `all` runs any statement to its end, and those without a result have no rows. */
function asKysely(db: DatabaseSync): SqliteDatabase {
  return {
    close: () => db.close(),
    prepare(sql) {
      const statement = db.prepare(sql)
      return {
        reader: true,
        all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
        run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
        iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
      }
    },
  }
}

/** SQLite rolls back changes of the schema like all others, and a transaction of ours has the writer's lock from its start. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class Driver extends SqliteDriver {
  /** Takes the writer's lock at once, and waits for it without holding up the thread. */
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
}

/** Primary result codes of SQLite. */
export const sqliteCodes = { busy: 5, locked: 6, corrupt: 11, notADatabase: 26 } as const

/** The primary result code of what `node:sqlite` threw; undefined for anything else. */
export function sqliteCodeOf(thrown: unknown): number | undefined {
  const code = (thrown as { readonly errcode?: unknown } | undefined)?.errcode
  return typeof code === 'number' ? code & 0xff : undefined
}

export function isBusy(thrown: unknown): boolean {
  const code = sqliteCodeOf(thrown)
  return code === sqliteCodes.busy || code === sqliteCodes.locked
}
