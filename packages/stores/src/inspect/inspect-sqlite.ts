import { constants, existsSync, statfsSync, statSync } from 'node:fs'
import { access, open, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { newId } from '../defaults.ts'
import { type StoreFault, StoresError } from '../error.ts'
import { migrationNames, migrationTable } from '../migrations/migrate.ts'
import { explainSqlite } from '../explain-sqlite.ts'
import { loadSqlite } from '../open-sqlite.ts'
import type { StoreInspection } from './store-inspection.ts'

/** The longest file that is checked page by page, in bytes: a second of work or so, which the thread waits for. */
const longestChecked = 256 * 1_048_576
/** Bytes that are written to see whether there is room, and removed. */
const probeBytes = 65_536

/** Inspects an SQLite file, or the place where one is to be made. @throws StoresError */
export async function inspectSqlite(path: string): Promise<StoreInspection> {
  const where = `the SQLite file ${path}`
  const { DatabaseSync } = await loadSqlite()
  const exists = existsSync(path)
  const folder = nearestFolder(path)
  try {
    if (exists) await access(path, constants.R_OK | constants.W_OK)
    await tryToWrite(folder)
  } catch (thrown) {
    throw unwritable(where, folder, thrown)
  }
  const { bavail, bsize } = statfsSync(folder)
  const place = { where, exists, freeBytes: bavail * bsize }
  if (!exists || statSync(path).size === 0) {
    const memory = new DatabaseSync(':memory:')
    const version = versionOf(memory)
    memory.close()
    return { ...place, exists: false, version, applied: [], pending: migrationNames, newer: [], bytes: 0 }
  }
  const bytes = statSync(path).size
  try {
    // A reader would leave a log behind that was not there. Without one, nobody has the file open, and it is read as it stands.
    const url = pathToFileURL(resolve(path))
    if (!existsSync(`${path}-wal`)) url.searchParams.set('immutable', '1')
    const database = new DatabaseSync(url, { readOnly: true, timeout: 1_000 })
    try {
      if (bytes <= longestChecked) {
        const [found] = database.prepare('pragma quick_check(1)').all()
        if (found?.['quick_check'] !== 'ok') throw new StoresError('corrupt', damaged(where), { fault: 'damaged' })
      }
      const hasTable = database.prepare(`select 1 from sqlite_master where name = '${migrationTable}'`).get()
      const rows = hasTable ? database.prepare(`select name from ${migrationTable} order by name`).all() : []
      return { ...place, version: versionOf(database), bytes, ...compare(rows.map(({ name }) => String(name))) }
    } finally {
      database.close()
    }
  } catch (thrown) {
    throw explainSqlite(thrown, where)
  }
}

/** Compares the migrations of a database with those of this version. */
export function compare(applied: readonly string[]): Pick<StoreInspection, 'applied' | 'pending' | 'newer'> {
  return {
    applied,
    pending: migrationNames.filter((name) => !applied.includes(name)),
    newer: applied.filter((name) => !migrationNames.includes(name)),
  }
}

function nearestFolder(path: string): string {
  const folder = dirname(resolve(path))
  return existsSync(folder) || folder === dirname(folder) ? folder : nearestFolder(folder)
}

/** Writes a file of its own, and removes it. Any descriptor of the database that is closed here would end the locks of this process. */
async function tryToWrite(folder: string): Promise<void> {
  const path = `${folder}/.wayleave-${newId()}`
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(Buffer.alloc(probeBytes))
      await file.datasync()
    } finally {
      await file.close()
    }
  } finally {
    await rm(path, { force: true })
  }
}

function unwritable(where: string, folder: string, thrown: unknown): StoresError {
  const { code = 'it failed' } = thrown as NodeJS.ErrnoException
  const faults: { readonly [code: string]: StoreFault } = {
    ENOSPC: 'full',
    EDQUOT: 'full',
    EROFS: 'read_only',
    EACCES: 'read_only',
  }
  const fault = faults[code] ?? 'failed'
  const reason = fault === 'full' ? 'its disk is full' : `${folder} cannot be written`
  return new StoresError('unavailable', `${where} cannot be used: ${reason} (${code})`, { cause: thrown, fault })
}

function damaged(where: string): string {
  return `${where} is damaged: restore a backup, or move it away, and a new one is made`
}

function versionOf(database: { prepare(sql: string): { get(): unknown } }): string {
  return (database.prepare('select sqlite_version() as version').get() as { readonly version: string }).version
}
