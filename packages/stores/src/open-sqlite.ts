import { rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type * as Sqlite from 'node:sqlite'
import { Kysely, sql } from 'kysely'
import { delay, noise } from './defaults.ts'
import { type StoreFault, StoresError } from './error.ts'
import { probeStatement } from './migrations/probe.ts'
import type { OpenDatabase } from './open-database.ts'
import { isBusy, nodeSqliteDialect } from './sqlite-dialect.ts'
import {
  createPrivately,
  type FileIdentity,
  identify,
  isAt,
  isDiskFull,
  type SqliteFiles,
  tighten,
  watchSqliteFiles,
} from './sqlite-files.ts'
import { isOf, type OnDisk, read, readOnDisk } from './sqlite-identity.ts'
import { corrupt, explainSqlite } from './explain-sqlite.ts'
import { createReserve } from './sqlite-reserve.ts'
import { dropLog, isSound, putInPlace, rescue } from './sqlite-rescue.ts'

/** How many times opening is tried while another process opens, recovers or closes the same file. */
const mostAttempts = 100
const betweenAttemptsMs = 50
/** How long SQLite itself may wait for a lock, in ms. It blocks the thread. */
const heldUpMs = 10
/** Probes between two attempts at a copy: one that fails may be large. */
const probesBetweenRescues = 10

/** Opens a file, or a database in memory. @throws StoresError `unsupported_runtime`, `unavailable`, `corrupt`. */
export async function openSqlite(path: string): Promise<OpenDatabase> {
  const where = path === ':memory:' ? 'the SQLite database in memory' : `the SQLite file ${path}`
  const sqlite = await loadSqlite()
  const explain = (thrown: unknown): StoresError => explainSqlite(thrown, where)
  const inMemory = path === ':memory:'

  /** The copy that was put in the place of the file, until it is open. */
  let placed: FileIdentity | undefined

  /** Connects to the copy that was put in place, else to whatever is at the path. */
  async function connect(): Promise<Sqlite.DatabaseSync> {
    for (let attempt = 1; ; attempt++) {
      let opened: Sqlite.DatabaseSync | undefined
      try {
        if (placed !== undefined) requirePlaced()
        else if (!inMemory) createPrivately(path)
        opened = new sqlite.DatabaseSync(path, { timeout: heldUpMs })
        if (placed !== undefined) requirePlaced()
        // WAL: readers and the writer do not wait for each other. NORMAL: a power cut loses only data that can be fetched again.
        opened.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on')
        const [found] = opened.prepare('pragma quick_check(1)').all()
        if (found?.['quick_check'] !== 'ok') throw corrupt(where)
        return opened
      } catch (thrown) {
        opened?.close()
        if (!isBusy(thrown) || attempt === mostAttempts) throw explain(thrown)
        await delay(betweenAttemptsMs)
      }
    }
  }

  const reserve = inMemory ? undefined : createReserve(path)
  let current = await connect().catch((thrown: unknown) => {
    // SQLite has other words for a full disk, too.
    if (!isDiskFull(path) || reserve?.give() !== true) throw thrown
    return connect()
  })
  const notices = inMemory ? [] : tighten(path)
  const files = inMemory ? undefined : watchSqliteFiles(path)
  const db = new Kysely<object>({ dialect: nodeSqliteDialect(() => current) })
  files?.adopt()
  if (files?.isFull() === true) reserve?.give(current)
  else reserve?.make()

  /** A whole copy of what the connection holds, made because another file stands at the path. */
  let copy: string | undefined
  let probesToWait = 0
  let isFailing = false

  /** The file as the last checkpoint left it; undefined before the first probe. */
  let seen: OnDisk | undefined
  /** Holds a lock from when the file was overwritten, so that no close plays the log into it. */
  let guard: Sqlite.DatabaseSync | undefined

  function check(): void {
    const fault = findFault()
    if (fault !== undefined) throw gone(isPlaced() ? 'failed' : fault)
  }

  function findFault(): StoreFault | undefined {
    if (guard !== undefined) return 'overwritten'
    const fault = files?.fault()
    if (files === undefined || seen === undefined || fault === 'deleted' || fault === 'replaced') return fault
    if (!files.wasWritten()) return fault
    const found = readOnDisk(sqlite, path)
    if (found !== undefined && isOf(found, { seen, now: read(current) })) seen = found
    // An emptied file has no identity to read; the connection may hold all of its content.
    else if (found !== undefined || fault === undefined) leaveToOthers(files)
    return guard === undefined ? fault : 'overwritten'
  }

  /** Leaves an overwritten file as it is: neither this process nor the next one plays the log into it. */
  function leaveToOthers(own: SqliteFiles): void {
    guard = new sqlite.DatabaseSync(path, { readOnly: true, timeout: heldUpMs })
    try {
      guard.exec('pragma schema_version')
    } catch {
      // No database at all, which no log is played into.
    }
    try {
      dropLog(path, own)
    } catch {
      // The log of another connection is there.
    }
  }

  /** Makes the database known by its file, so that another content is found out. */
  async function identifyFile(): Promise<void> {
    if (files === undefined || seen !== undefined) return
    await db.transaction().execute(async () => {
      if (read(current).id === 0) current.exec(`pragma application_id = ${new DataView(noise(4).buffer).getInt32(0)}`)
    })
    await db.connection().execute(async () => void current.exec('pragma wal_checkpoint'))
    files.wasWritten()
    const found = readOnDisk(sqlite, path)
    if (found?.id === read(current).id) seen = found
  }

  /** Whether the file at the path is the copy, which is still to be opened. */
  function isPlaced(): boolean {
    return placed !== undefined && isAt(path, placed)
  }

  /** @throws StoresError where SQLite would open another file than the copy, or make an empty one. */
  function requirePlaced(): void {
    if (!isPlaced()) throw gone('replaced')
  }

  function gone(fault: StoreFault): StoresError {
    const saved = copy === undefined ? '' : `; all that was acknowledged is in ${copy}`
    return new StoresError('unavailable', `${where} cannot be used: ${words[fault] ?? fault}${saved}`, { fault })
  }

  /** Brings the database back to its path from what the open connection holds, if nothing of others stands there. */
  async function mend(): Promise<void> {
    const fault = findFault()
    if (files === undefined || fault === 'read_only' || fault === 'overwritten') return
    // The own file came back by itself, and with it all that the copy holds.
    if (fault === undefined) return dropCopy()
    if (isPlaced()) return reconnect(files)
    if (probesToWait-- > 0) return
    probesToWait = probesBetweenRescues
    if (fault === 'truncated' && isWholeOnDisk()) return files.adopt()
    if (copy !== undefined && identify(copy) === undefined) copy = undefined
    copy ??= rescue(sqlite, current, path)
    // A copy exists: from here on, another attempt costs nothing.
    probesToWait = 0
    dropLog(path, files)
    if (fault === 'replaced') return
    placed = identify(copy)
    putInPlace(copy, path, fault === 'deleted')
    copy = undefined
    await reconnect(files)
  }

  /** Exchanges the connection for one to the copy that was put in place. */
  async function reconnect(own: SqliteFiles): Promise<void> {
    const old = current
    current = await connect()
    placed = undefined
    seen = undefined
    own.adopt()
    // The file of the database is not at the path any more, so SQLite leaves the new log alone.
    old.close()
    dropCopy()
  }

  function dropCopy(): void {
    if (copy !== undefined) rmSync(copy, { force: true })
    copy = undefined
  }

  /** Whether another connection finds everything: then the file got shorter because somebody tidied it up. */
  function isWholeOnDisk(): boolean {
    let other: Sqlite.DatabaseSync | undefined
    try {
      other = new sqlite.DatabaseSync(path, { readOnly: true, timeout: heldUpMs })
      return other.prepare('select beats from store_probe').all().length === 1 && isSound(other)
    } catch {
      return false
    } finally {
      other?.close()
    }
  }

  async function probe(): Promise<void> {
    try {
      // On the only connection, so that no transaction is open meanwhile. A copy is made before the fault is told, which names it.
      if (isFailing || files?.fault() === 'replaced')
        await db
          .connection()
          .execute(mend)
          .catch(() => {})
      check()
      if (files?.isFull() === true) reserve?.give(current)
      await db.transaction().execute((transaction) => sql.raw(probeStatement).execute(transaction))
      check()
      if (files?.isFull() === true) throw gone('full')
      await identifyFile()
      reserve?.make()
      if (reserve?.isGiven === true) throw gone('full')
      isFailing = false
      probesToWait = 0
    } catch (thrown) {
      isFailing = true
      throw thrown
    }
  }

  async function close(): Promise<void> {
    probesToWait = 0
    await db
      .connection()
      .execute(mend)
      .catch(() => {})
    await db.destroy()
    guard?.close()
    reserve?.make(reserve.isGiven)
  }

  const makeRoom = (): boolean => reserve?.give(current) === true
  const sync = (): Promise<void> => (inMemory ? Promise.resolve() : syncLog(path))
  return { dialect: 'sqlite', where, explain, db, notices, check, probe, listen: () => () => {}, makeRoom, sync, close }
}

/**
 * Writes the log through to the disk. What is not in it was synced by the checkpoint that moved it to the file. SQLite holds no lock on
 * the log, so closing it here drops none.
 */
async function syncLog(path: string): Promise<void> {
  let log: FileHandle
  try {
    log = await open(`${path}-wal`, 'r+')
  } catch (thrown) {
    if ((thrown as { readonly code?: unknown }).code === 'ENOENT') return
    throw thrown
  }
  try {
    await log.datasync()
  } finally {
    await log.close()
  }
}

/** Loads SQLite. @throws StoresError `unsupported_runtime` */
export async function loadSqlite(): Promise<typeof Sqlite> {
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

const words: { readonly [fault in StoreFault]?: string } = {
  deleted: 'it was deleted',
  replaced: 'another file stands in its place',
  overwritten: 'another content was written into it, which is left as it is; a restart takes it',
  truncated: 'it was truncated',
  log_deleted: 'its -wal or -shm was deleted',
  read_only: 'it was made read-only',
  full: 'its disk is full',
  failed: 'it was put back, and does not open yet',
}
