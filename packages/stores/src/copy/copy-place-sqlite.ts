import type * as Sqlite from 'node:sqlite'
import { explainSqlite } from '../explain-sqlite.ts'
import { loadSqlite } from '../open-sqlite.ts'
import type { CopyPlace, CopyRow } from './copy-place.ts'

/** Opens an SQLite file for a copy alone: as long as it is open, no other process can open it. @throws StoresError */
export async function openSqlitePlace(path: string): Promise<CopyPlace> {
  const { DatabaseSync } = await loadSqlite()
  const where = `the SQLite file ${path}`
  const explain: CopyPlace['explain'] = (thrown) => explainSqlite(thrown, where)
  let database: Sqlite.DatabaseSync
  try {
    database = new DatabaseSync(path, { timeout: 0 })
  } catch (thrown) {
    throw explain(thrown)
  }
  try {
    database.exec('pragma locking_mode = exclusive; pragma synchronous = full; begin exclusive; commit')
  } catch (thrown) {
    database.close()
    throw explain(thrown)
  }
  const statements = new Map<string, Sqlite.StatementSync>()

  function prepared(text: string): Sqlite.StatementSync {
    const known = statements.get(text)
    if (known !== undefined) return known
    const statement = database.prepare(text)
    statement.setReadBigInts(true)
    statements.set(text, statement)
    return statement
  }

  return {
    where,
    explain,
    async query(statement, parameters = []) {
      return prepared(statement)
        .all(...parameters)
        .map(readRow)
    },
    async transaction(work) {
      database.exec('begin immediate')
      try {
        const done = await work()
        database.exec('commit')
        return done
      } catch (thrown) {
        if (database.isTransaction) database.exec('rollback')
        throw thrown
      }
    },
    async insert({ name }, rows) {
      const [first] = rows
      if (first === undefined) return
      const columns = Object.keys(first)
      const places = columns.map(() => '?').join(', ')
      const adding = prepared(
        `insert into ${name} (${columns.map((column) => `"${column}"`).join(', ')}) values (${places}) on conflict do nothing`,
      )
      // Columns of integers make integers of decimal text.
      for (const row of rows) adding.run(...columns.map((column) => row[column] ?? null))
    },
    async empty({ name }) {
      prepared(`delete from ${name}`).run()
    },
    // The lock of this connection keeps every other one out.
    isInUse: async () => false,
    async close() {
      statements.clear()
      database.close()
    },
  }
}

function readRow(row: Readonly<Record<string, Sqlite.SQLOutputValue>>): CopyRow {
  const read: Record<string, string | number | null> = {}
  for (const [name, value] of Object.entries(row)) {
    read[name] = typeof value === 'bigint' ? String(value) : (value as string | number | null)
  }
  return read
}
