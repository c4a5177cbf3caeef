import type * as Sqlite from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { delay } from './defaults.ts'
import { StoresError } from './error.ts'
import type { OpenDatabase } from './open-database.ts'

/** How many times opening is tried while another process opens, recovers or closes the same file. */
const mostAttempts = 100
const betweenAttemptsMs = 50
/** How long SQLite itself may wait for a lock, in ms. It blocks the thread. */
const heldUpMs = 10
/** How long a transaction waits for another writer, and how often it tries, in ms. */
const patienceMs = 5_000
const lookEveryMs = 40

/** Opens a file, or a database in memory. @throws StoresError `unsupported_runtime`, `unavailable`, `corrupt`. */
export async function openSqlite(path: string): Promise<OpenDatabase> {
  const where = path === ':memory:' ? 'the SQLite database in memory' : `the SQLite file ${path}`
  const { DatabaseSync: Connection } = await loadSqlite()
  const explain = (thrown: unknown): StoresError => explained(thrown, where)
  for (let attempt = 1; ; attempt++) {
    let db: Sqlite.DatabaseSync | undefined
    try {
      db = new Connection(path, { timeout: heldUpMs })
      // WAL: readers and the writer do not wait for each other. NORMAL: a power cut loses only data that can be fetched again.
      db.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on')
      const [check] = db.prepare('pragma quick_check(1)').all()
      if (check?.['quick_check'] !== 'ok') throw new StoresError('corrupt', corruptMessage(where))
      return { dialect: 'sqlite', where, explain, db: new Kysely<object>({ dialect: nodeSqliteDialect(db) }) }
    } catch (thrown) {
      db?.close()
      if (!isBusy(thrown) || attempt === mostAttempts) throw explain(thrown)
      await delay(betweenAttemptsMs)
    }
  }
}

async function loadSqlite(): Promise<typeof Sqlite> {
  try {
    return await import('node:sqlite')
  } catch (cause) {
    throw new StoresError(
      'unsupported_runtime',
      'expected a Node with node:sqlite, 22.13 or later: upgrade Node, or use PostgreSQL',
      { cause },
    )
  }
}

function explained(thrown: unknown, where: string): StoresError {
  if (thrown instanceof StoresError) return thrown
  const code = sqliteCodeOf(thrown)
  if (code === sqliteCodes.corrupt || code === sqliteCodes.notADatabase) {
    return new StoresError('corrupt', corruptMessage(where), { cause: thrown })
  }
  const reason = thrown instanceof Error ? thrown.message : 'it failed'
  return new StoresError('unavailable', `${where} cannot be used: ${reason}`, { cause: thrown })
}

function corruptMessage(where: string): string {
  return `${where} is damaged, or no SQLite database: move it away, and a new one is made`
}

/** Runs Kysely's SQLite dialect on `node:sqlite`. */
function nodeSqliteDialect(db: Sqlite.DatabaseSync): Dialect {
  return {
    createAdapter: () => new Adapter(),
    createDriver: () => new Driver({ database: asKysely(db) }),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** Adapts the driver. `reader` is always true: `all` runs any statement to its end, and gives no rows where there is no result. */
function asKysely(db: Sqlite.DatabaseSync): SqliteDatabase {
  return {
    close: () => db.close(),
    prepare(sql) {
      const statement = db.prepare(sql)
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
}

/** Primary result codes of SQLite. */
const sqliteCodes = { busy: 5, locked: 6, corrupt: 11, notADatabase: 26 } as const

/** The primary result code of an error of `node:sqlite`; undefined for anything else. */
function sqliteCodeOf(thrown: unknown): number | undefined {
  const code = (thrown as { readonly errcode?: unknown } | undefined)?.errcode
  return typeof code === 'number' ? code & 0xff : undefined
}

/** Whether another connection holds the lock. */
function isBusy(thrown: unknown): boolean {
  const code = sqliteCodeOf(thrown)
  return code === sqliteCodes.busy || code === sqliteCodes.locked
}
