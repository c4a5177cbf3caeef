import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { delay } from '../defaults.ts'
import { StoresError } from '../error.ts'
import { inspectStore } from '../inspect/inspect-store.ts'
import { copyMarker, migrationTable } from '../migrations/migrate.ts'
import { openStores, type StoresOptions } from '../stores.ts'
import type { CopyPlace } from './copy-place.ts'
import { openPostgresPlace } from './copy-place-postgres.ts'
import { openSqlitePlace } from './copy-place-sqlite.ts'
import { isSqliteInUse } from './copy-sqlite.ts'
import { pageOf, summaryOf, type TableSummary } from './copy-pages.ts'
import { type StoreTable, storeTables } from './store-tables.ts'

export interface StoreCopyOptions {
  /** Called after each page with the rows that a step has done, and all rows of the source. */
  readonly onProgress?: (step: 'copy' | 'compare', rows: number, total: number) => void
  /** Ends the copy between two pages; the next run goes on from there. */
  readonly signal?: AbortSignal
}

/** A copy that was compared with its source. */
export interface StoreCopy {
  readonly from: string
  readonly to: string
  /** Whether it went on with a copy that had not ended. */
  readonly isResumed: boolean
  /** The tables that have rows; both ends have the same counts, sums and digests. */
  readonly tables: readonly TableSummary[]
}

/** The table of how far a copy came; the row without a name has its source. */
const progressTable = 'wayleave_copy'
const rowsInPage = 5_000
const mostLooks = 8
const betweenLooksMs = 200

interface Ends {
  readonly source: CopyPlace
  readonly target: CopyPlace
}

/**
 * Copies all that outlasts a gateway from one database into another, empty one, of either kind, and compares both. Until that is done, no
 * gateway opens the target. A copy that was ended or killed goes on where it was; where the source has changed since, it begins anew.
 * Neither place may be in use by another process. Holds a page of rows at a time.
 * @throws StoresError `conflict`: a place is in use, or the target holds other state; `invalid`: the source is of another version
 */
export async function copyStore(
  from: StoresOptions,
  to: StoresOptions,
  options: StoreCopyOptions = {},
): Promise<StoreCopy> {
  if (identityOf(from) === identityOf(to)) throw new StoresError('invalid', 'expected two places, got one')
  await requireSource(from)
  await refuseOpenFile(from)
  await refuseOpenFile(to)
  const source = await openPlace(from)
  try {
    await refuseUse(source)
    const { target, isResumed } = await openTarget(to, source.where)
    try {
      return {
        from: source.where,
        to: target.where,
        isResumed,
        tables: await copyAll({ source, target }, isResumed, options),
      }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

function openPlace(options: StoresOptions): Promise<CopyPlace> {
  return 'sqlite' in options ? openSqlitePlace(options.sqlite) : openPostgresPlace(options.postgres)
}

/** The path or URL, which are the same for the same place as a person writes it. */
function identityOf(place: StoresOptions): string {
  return 'sqlite' in place ? resolve(place.sqlite) : place.postgres
}

async function requireSource(from: StoresOptions): Promise<void> {
  const { where, exists, applied, pending, newer } = await inspectStore(from)
  if (!exists || applied.length === 0) throw new StoresError('not_found', `${where} holds no state of wayleave`)
  if (newer.includes(copyMarker))
    throw new StoresError('conflict', `${where} is the place of a copy that has not ended: end that one first`)
  if (newer.length > 0) throw new StoresError('newer_version', `${where} was changed by a newer version: run that one`)
  if (pending.length > 0) {
    const message = `${where} is of an earlier version: start this version of wayleave on it once, and stop it, so that it is brought up to date`
    throw new StoresError('invalid', message)
  }
}

async function refuseOpenFile(place: StoresOptions): Promise<void> {
  if ('sqlite' in place && existsSync(place.sqlite) && (await isSqliteInUse(place.sqlite)))
    throw inUse(`the SQLite file ${place.sqlite}`)
}

/** PostgreSQL lists a connection for a moment longer than its process lives. */
async function refuseUse(place: CopyPlace): Promise<void> {
  for (let looks = 1; await place.isInUse(); looks++) {
    if (looks === mostLooks) throw inUse(place.where)
    await delay(betweenLooksMs)
  }
}

function inUse(where: string): StoresError {
  return new StoresError('conflict', `${where} is in use by another process of wayleave: stop the gateway first`)
}

/** Opens the target with all tables and the marker of a copy that has not ended. */
async function openTarget(
  to: StoresOptions,
  from: string,
): Promise<{ readonly target: CopyPlace; readonly isResumed: boolean }> {
  const { where, pending, newer } = await inspectStore(to)
  const isResumed = newer.includes(copyMarker)
  if (isResumed && (pending.length > 0 || newer.length > 1))
    throw new StoresError('conflict', `${where} holds a copy that another version began: give it an empty place`)
  if (!isResumed) {
    if ('postgres' in to) await withPlace(to, refuseUse)
    // Makes the database where there is none, and refuses one of a newer version.
    await (await openStores(to)).close()
  }
  const target = await openPlace(to)
  try {
    await refuseUse(target)
    if (isResumed) await requireOwnCopy(target, from)
    else await begin(target, from)
    return { target, isResumed }
  } catch (thrown) {
    await target.close()
    throw target.explain(thrown)
  }
}

async function withPlace(place: StoresOptions, work: (place: CopyPlace) => Promise<void>): Promise<void> {
  const opened = await openPlace(place)
  try {
    await work(opened)
  } finally {
    await opened.close()
  }
}

async function requireOwnCopy({ where, query }: CopyPlace, from: string): Promise<void> {
  const [row] = await query(`select last_key from ${progressTable} where name = ''`)
  if (row?.['last_key'] === from) return
  const message = `${where} holds a copy of ${String(row?.['last_key'])} that has not ended: end that one, or name an empty place`
  throw new StoresError('conflict', message)
}

/** Marks an empty database as the place of a copy. @throws StoresError `conflict` where there is state in it */
async function begin({ where, query, transaction }: CopyPlace, from: string): Promise<void> {
  for (const { name, hasSeed } of storeTables) {
    const rows = await query(hasSeed ? `select 1 from ${name} where seq > 0` : `select 1 from ${name} limit 1`)
    if (rows.length === 0) continue
    throw new StoresError('conflict', `${where} holds state already (${name}): a copy needs an empty place`)
  }
  await transaction(async () => {
    await query(`create table ${progressTable} (name text primary key, last_key text, copied bigint not null)`)
    await query(`insert into ${progressTable} values ('', ?, 0)`, [from])
    await query(`insert into ${migrationTable} (name, timestamp) values (?, '')`, [copyMarker])
  })
}

async function copyAll(ends: Ends, isResumed: boolean, options: StoreCopyOptions): Promise<readonly TableSummary[]> {
  const { source, target } = ends
  try {
    const total = await countAll(source)
    await copyTables(ends, total, options)
    let tables = await compare(ends, total, options)
    if (tables === undefined && isResumed) {
      // The source was served from between two runs, so rows that were copied have changed.
      await startAgain(target)
      await copyTables(ends, await countAll(source), options)
      tables = await compare(ends, total, options)
    }
    await refuseUse(source)
    if (tables === undefined)
      throw new StoresError(
        'conflict',
        `${source.where} changed while it was copied: stop what writes to it, and copy again`,
      )
    await target.transaction(async () => {
      await target.query(`drop table ${progressTable}`)
      await target.query(`delete from ${migrationTable} where name = ?`, [copyMarker])
    })
    return tables
  } catch (thrown) {
    options.signal?.throwIfAborted()
    if (thrown instanceof StoresError) throw thrown
    throw target.explain(thrown)
  }
}

async function countAll({ query }: CopyPlace): Promise<number> {
  let total = 0
  for (const { name } of storeTables) {
    const [row] = await query(`select count(*) as count from ${name}`)
    total += Number(row?.['count'])
  }
  return total
}

async function copyTables(ends: Ends, total: number, { onProgress, signal }: StoreCopyOptions): Promise<void> {
  const { query } = ends.target
  const known = await query(`select name, last_key, copied from ${progressTable}`)
  let done = known.reduce((sum, { copied }) => sum + Number(copied), 0)
  for (const table of storeTables) {
    const last = known.find(({ name }) => name === table.name)?.['last_key']
    let after = typeof last === 'string' ? (JSON.parse(last) as (string | number)[]) : undefined
    for (;;) {
      signal?.throwIfAborted()
      const rows = await pageOf(ends.source, table, after, rowsInPage)
      if (rows.length === 0) break
      after = table.key.map((column) => rows.at(-1)![column] as string | number)
      await writePage(ends.target, table, rows, JSON.stringify(after))
      done += rows.length
      onProgress?.('copy', done, total)
      if (rows.length < rowsInPage) break
    }
  }
}

type Rows = Awaited<ReturnType<typeof pageOf>>

/** Adds rows, and notes in the same transaction how far the copy came. */
async function writePage(
  { query, transaction, insert, empty }: CopyPlace,
  table: StoreTable,
  rows: Rows,
  last: string,
) {
  await transaction(async () => {
    if (table.hasSeed) await empty(table)
    await insert(table, rows)
    await query(
      `insert into ${progressTable} values (?, ?, ?) on conflict (name)
       do update set last_key = excluded.last_key, copied = ${progressTable}.copied + excluded.copied`,
      [table.name, last, rows.length],
    )
  })
}

/** Empties a target that holds nothing but a copy that has not ended. */
async function startAgain({ query, transaction, empty }: CopyPlace): Promise<void> {
  await transaction(async () => {
    for (const table of storeTables.toReversed()) await empty(table)
    await query(`delete from ${progressTable} where name <> ''`)
  })
}

/** Reads both ends whole. Undefined: they differ. */
async function compare(
  { source, target }: Ends,
  total: number,
  { onProgress, signal }: StoreCopyOptions,
): Promise<readonly TableSummary[] | undefined> {
  const summaries: TableSummary[] = []
  let done = 0
  for (const table of storeTables) {
    const counted = (rows: number): void => {
      signal?.throwIfAborted()
      done += rows / 2
      onProgress?.('compare', Math.floor(done), total)
    }
    const summary = await summaryOf(source, table, rowsInPage, counted)
    const copied = await summaryOf(target, table, rowsInPage, counted)
    if (JSON.stringify(summary) !== JSON.stringify(copied)) return undefined
    if (summary.rows > 0) summaries.push(summary)
  }
  return summaries
}
