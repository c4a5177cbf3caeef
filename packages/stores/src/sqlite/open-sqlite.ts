import type * as Sqlite from 'node:sqlite'
import { Kysely } from 'kysely'
import type { Database } from '../database.ts'
import { delay } from '../defaults.ts'
import { StoresError } from '../error.ts'
import type { OpenDatabase } from '../open-database.ts'
import { isBusy, nodeSqliteDialect, sqliteCodeOf, sqliteCodes } from './node-sqlite-dialect.ts'

/** How often opening is tried while another process opens, recovers or closes the same file. */
const mostAttempts = 100
const betweenAttemptsMs = 50
/** How long SQLite itself may wait for a lock, in ms: it holds up the thread. */
const heldUpMs = 10

/** @throws StoresError `unsupported_runtime`, `unavailable`, `corrupt`. */
export async function openSqlite(path: string): Promise<OpenDatabase> {
  const where = path === ':memory:' ? 'the SQLite database in memory' : `the SQLite file ${path}`
  const { DatabaseSync: Connection } = await loadSqlite()
  const explain = (thrown: unknown): StoresError => explained(thrown, where)
  for (let attempt = 1; ; attempt++) {
    let db: Sqlite.DatabaseSync | undefined
    try {
      db = new Connection(path, { timeout: heldUpMs })
      // WAL: readers and the writer do not wait for each other. NORMAL: what a power cut costs can be fetched again.
      db.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on')
      const [check] = db.prepare('pragma quick_check(1)').all()
      if (check?.['quick_check'] !== 'ok') throw new StoresError('corrupt', corruptMessage(where))
      return { dialect: 'sqlite', where, explain, db: new Kysely<Database>({ dialect: nodeSqliteDialect(db) }) }
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
