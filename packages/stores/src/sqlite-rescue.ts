import { closeSync, fsyncSync, linkSync, openSync, renameSync, unlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import type * as Sqlite from 'node:sqlite'
import { createPrivately, type SqliteFiles } from './sqlite-files.ts'

/** How many copies may lie beside a database. */
const mostCopies = 100

/**
 * Writes all that the open connection holds into a new file beside the database, synced and checked, and returns its path. An open
 * connection still reads a file that was deleted, and of one that was truncated what is in its log and its cache. Blocks the thread
 * for as long as the copy takes.
 */
export function rescue(sqlite: typeof Sqlite, db: Sqlite.DatabaseSync, path: string): string {
  const copy = newPath(path)
  try {
    db.exec(`vacuum into '${copy.replaceAll("'", "''")}'`)
    sync(copy, 'r+')
    const reader = new sqlite.DatabaseSync(copy, { readOnly: true })
    const isWhole = isSound(reader)
    reader.close()
    if (!isWhole) throw new Error('the copy is damaged')
  } catch (thrown) {
    unlinkSync(copy)
    throw thrown
  }
  return copy
}

/** Whether SQLite finds no damage; a connection that is fresh has nothing in its cache. */
export function isSound(db: Sqlite.DatabaseSync): boolean {
  try {
    const [found] = db.prepare('pragma quick_check(1)').all()
    return found?.['quick_check'] === 'ok'
  } catch {
    return false
  }
}

/**
 * Removes the log of the connection, once a copy holds it: SQLite would play it into whatever file is opened at the path next.
 * @throws where the log of another connection is there
 */
export function dropLog(path: string, files: SqliteFiles): void {
  const logs = (['-wal', '-shm'] as const).map((suffix) => ({ suffix, owner: files.ownerOf(suffix) }))
  if (logs.some(({ owner }) => owner === 'foreign')) throw new Error('the log of another connection is there')
  for (const { suffix, owner } of logs) if (owner === 'own') unlinkSync(path + suffix)
}

/** Puts a copy in the place of the database. @throws where it is missing no more */
export function putInPlace(copy: string, path: string, isMissing: boolean): void {
  if (isMissing) {
    linkSync(copy, path)
    unlinkSync(copy)
  } else renameSync(copy, path)
  // Not every system can sync a folder.
  if (process.platform !== 'win32') sync(dirname(path), 'r')
}

function newPath(path: string): string {
  for (let n = 1; n <= mostCopies; n++) {
    const copy = `${path}.rescued-${n}`
    if (createPrivately(copy)) return copy
  }
  throw new Error(`there are ${mostCopies} copies already`)
}

function sync(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
