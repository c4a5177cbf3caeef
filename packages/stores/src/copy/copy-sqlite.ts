import { createPrivately } from '../sqlite-files.ts'
import { explainSqlite } from '../explain-sqlite.ts'
import { loadSqlite } from '../open-sqlite.ts'

/**
 * Copies an SQLite database to a path where nothing is, as it stands at one moment, while other processes read and write it. The copy can be
 * read by its owner alone. It blocks this thread, and the log of the database grows meanwhile.
 * @throws StoresError `unavailable`, with fault `full` for a full disk; `corrupt`
 */
export async function copySqlite(from: string, to: string): Promise<void> {
  const { DatabaseSync } = await loadSqlite()
  const where = `the SQLite file ${from}`
  try {
    createPrivately(to)
    const database = new DatabaseSync(from, { timeout: 5_000 })
    try {
      // Not the API of online backups: it begins anew with each write of another process, and so may never end.
      database.prepare('vacuum into ?').run(to)
    } finally {
      database.close()
    }
  } catch (thrown) {
    throw explainSqlite(thrown, where)
  }
}

/**
 * Removes from a copy the pins that the database does not have any more: their blocks may be gone. Returns how many these were.
 * @throws StoresError
 */
export async function dropLostPins(copy: string, database: string): Promise<number> {
  const { DatabaseSync } = await loadSqlite()
  try {
    const opened = new DatabaseSync(copy, { timeout: 5_000 })
    try {
      opened.prepare('attach ? as live').run(database)
      opened.exec('begin')
      const { changes } = opened
        .prepare(
          'delete from pins where not exists (select 1 from live.pins l where l.project = pins.project and l.cid = pins.cid)',
        )
        .run()
      opened.exec(`update pin_projects set stored_bytes =
        (select coalesce(sum(bytes), 0) from pins where pins.project = pin_projects.project)`)
      opened.exec('commit')
      return Number(changes)
    } finally {
      opened.close()
    }
  } catch (thrown) {
    throw explainSqlite(thrown, `the SQLite file ${database}`)
  }
}

/** Tells whether another process has an SQLite file open. It waits for nobody. @throws StoresError */
export async function isSqliteInUse(path: string): Promise<boolean> {
  const { DatabaseSync } = await loadSqlite()
  try {
    const database = new DatabaseSync(path, { timeout: 0 })
    try {
      // In WAL mode, every open connection shares a lock on the file, which this one excludes.
      database.exec('pragma locking_mode = exclusive; begin exclusive; rollback')
      return false
    } finally {
      database.close()
    }
  } catch (thrown) {
    const error = explainSqlite(thrown, `the SQLite file ${path}`)
    if (error.fault === 'busy') return true
    throw error
  }
}
