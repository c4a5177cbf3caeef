import type { UsageDimension, UsagePeriod, UsageRow, UsageSum } from '@wayleave/metering'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import { delay } from '../defaults.ts'
import { deleteInSteps } from '../delete-in-steps.ts'
import { StoresError } from '../error.ts'
import type { OpenDatabase } from '../open-database.ts'
import type { UsageStore } from './usage-store.ts'

/** The tables of `migrations/usage.ts`, as the newest migration leaves them. PostgreSQL gives 64-bit integers as text. */
type UsageTables = {
  /** One row a process. */
  readonly usage_processes: {
    readonly process: string
    /** The batch added last. */
    readonly seq: number | string
    /** How many of its rows were added. */
    readonly added: number | string
    readonly added_at: number | string
  }
  readonly usage_rows: Counts & {
    readonly period: UsagePeriod
    readonly at: number | string
  }
}

type Counts = Readonly<Record<UsageDimension, string>> & {
  readonly calls: number | string
  readonly credits: number | string
}

const periodMs: Readonly<Record<UsagePeriod, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }
const periods = Object.keys(periodMs) as UsagePeriod[]
const dimensions = ['project', 'key', 'network', 'method', 'status'] as const
const mostSums = 10_000
const mostTextLength = 256
/** Rows of a batch that a transaction adds. On SQLite this thread does its work: more would block it for longer. */
const rowsInStep = { sqlite: 25, postgres: 200 } as const

/** Keeps usage in SQL that both databases understand. */
export function createSqlUsageStore(database: Pick<OpenDatabase, 'db' | 'dialect' | 'sync'>): UsageStore {
  const { dialect, sync } = database
  const db = database.db.$extendTables<UsageTables>()
  const step = rowsInStep[dialect]
  const addRows = addRowsIn[dialect]

  /** Adds the next rows of a batch. Resolves with whether any are left. */
  async function addSome(process: string, seq: number, rows: readonly UsageRow<string>[]): Promise<boolean> {
    return db.transaction().execute(async (transaction) => {
      const before = await lockedProcess(transaction, process)
      if (before.seq > seq) return false
      const start = before.seq === seq ? before.added : 0
      if (before.seq === seq && start >= rows.length) return false
      const some = rows.slice(start, start + step)
      const added = start + some.length
      if (some.length > 0) await addRows(JSON.stringify(some)).execute(transaction)
      const added_at = some.reduce((latest, { minute }) => Math.max(latest, minute * periodMs.minute), before.addedAt)
      await sql`update usage_processes set seq = ${seq}, added = ${added}, added_at = ${added_at} where process = ${process}`.execute(
        transaction,
      )
      return added < rows.length
    })
  }

  return {
    async add(process, seq, rows) {
      checkText(process, 'process')
      checkCount(seq, 'seq')
      rows.forEach(checkRow)
      while (await addSome(process, seq, rows)) {
        // SQLite does its work on this thread, whose other tasks get their turn here.
        await delay(0)
      }
      await sync()
    },

    async lastSeq(process) {
      const query = db.selectFrom('usage_processes').select('seq').where('process', '=', process)
      const row = await query.executeTakeFirst()
      return row === undefined ? undefined : Number(row.seq)
    },

    async query({ period, from, to, where = {}, by, limit }) {
      checkQuery(period, from, to, by, limit)
      const filters = dimensions.filter((name) => where[name] !== undefined)
      const columns = [...new Set(by)]
      const sums = [totalOf('calls').as('calls'), totalOf('credits').as('credits')] as const
      let query = db
        .selectFrom('usage_rows')
        .where('period', '=', period)
        .where('at', '>=', from)
        .where('at', '<', to)
        .select(columns)
        .select(sums)
        .limit(limit)
      for (const name of filters) query = query.where(name, '=', where[name]!)
      for (const name of columns) query = query.groupBy(name).orderBy(name)
      const rows = await query.execute()
      return rows.map(({ at, calls, credits, ...rest }): UsageSum => {
        const counts = { ...rest, calls: Number(calls ?? 0), credits: Number(credits ?? 0) }
        return at === undefined ? counts : { at: Number(at), ...counts }
      })
    },

    async prune(before) {
      const limits = { minute: before.minutes, hour: before.hours, day: before.days }
      for (const period of periods) {
        const limit = limits[period]
        if (limit === undefined) continue
        checkCount(limit, `${period}s`)
        await deleteInSteps(database, sql`usage_rows`, sql`period = ${period} and at < ${limit}`)
      }
      if (before.processes === undefined) return
      checkCount(before.processes, 'processes')
      await deleteInSteps(database, sql`usage_processes`, sql`added_at < ${before.processes}`)
    },
  }
}

/** Reads how far a process came; on PostgreSQL its row is locked. */
async function lockedProcess(
  transaction: Transaction<UsageTables>,
  process: string,
): Promise<{ readonly seq: number; readonly added: number; readonly addedAt: number }> {
  type Row = UsageTables['usage_processes']
  const { rows } = await sql<Row>`insert into usage_processes values (${process}, -1, 0, 0)
    on conflict (process) do update set seq = usage_processes.seq returning seq, added, added_at`.execute(transaction)
  const row = rows[0]!
  return { seq: Number(row.seq), added: Number(row.added), addedAt: Number(row.added_at) }
}

const periodTable = sql.raw(periods.map((period) => `('${period}', ${periodMs[period]})`).join(', '))
const rowColumns = sql.raw('project, key, network, method, status')
const onKnownRow = sql.raw(
  `on conflict (period, at, project, key, network, method, status)
   do update set calls = usage_rows.calls + excluded.calls, credits = usage_rows.credits + excluded.credits`,
)

/** Adds rows, a JSON array, to their minutes, hours and days. Each dialect has one statement, however many the rows are. */
const addRowsIn: Readonly<Record<OpenDatabase['dialect'], (json: string) => RawBuilder<unknown>>> = {
  sqlite: (json) => sql`with periods (period, ms) as (values ${periodTable})
    insert into usage_rows (period, at, ${rowColumns}, calls, credits)
    select period, (value ->> 'minute') * 60000 / ms * ms, value ->> 'project', value ->> 'key', value ->> 'network',
      value ->> 'method', value ->> 'status', value ->> 'calls', value ->> 'credits'
    from periods cross join json_each(${json}) where true ${onKnownRow}`,
  // In one order, so that processes never wait for one another in a circle. A statement may change a row once.
  postgres: (json) => sql`with periods (period, ms) as (values ${periodTable})
    insert into usage_rows (period, at, ${rowColumns}, calls, credits)
    select period, minute * 60000 / ms * ms as at, ${rowColumns}, sum(calls), sum(credits)
    from json_to_recordset(${json}::json) as rows (project text, key text, network text, method text, status text,
      minute bigint, calls bigint, credits bigint) cross join periods
    group by 1, 2, ${rowColumns} order by 1, 2, ${rowColumns} ${onKnownRow}`,
}

/** As text: SQLite refuses to read integers beyond 2^53. */
function totalOf(column: 'calls' | 'credits'): RawBuilder<string | null> {
  return sql<string | null>`cast(sum(${sql.ref(column)}) as text)`
}

function checkRow(row: UsageRow<string>, index: number): void {
  const isRow = dimensions.every((name) => isText(row[name])) && [row.minute, row.calls, row.credits].every(isCount)
  if (isRow && isCount(row.minute * periodMs.minute)) return
  const what = `rows[${index}]`
  for (const name of dimensions) checkText(row[name], `${what}.${name}`)
  checkCount(row.minute, `${what}.minute`)
  checkCount(row.minute * periodMs.minute, `${what}.minute, in ms,`)
  checkCount(row.calls, `${what}.calls`)
  checkCount(row.credits, `${what}.credits`)
}

function checkQuery(period: UsagePeriod, from: number, to: number, by: readonly string[], limit: number): void {
  if (!periods.includes(period)) throw invalid(`period: expected ${periods.join(', ')}`)
  checkCount(from, 'from')
  checkCount(to, 'to')
  const known: readonly string[] = [...dimensions, 'at']
  if (!by.every((name) => known.includes(name))) throw invalid(`by: expected only ${known.join(', ')}`)
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > mostSums) {
    throw invalid(`limit: expected a whole number from 1 to ${mostSums}`)
  }
}

function checkText(value: unknown, what: string): void {
  if (!isText(value)) throw invalid(`${what}: expected a text of at most ${mostTextLength} characters`)
}

function isText(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > mostTextLength) return false
  return !/\p{Surrogate}/u.test(value) && !value.includes('\u0000')
}

function checkCount(value: unknown, what: string): void {
  if (!isCount(value)) throw invalid(`${what}: expected a whole number, 0 or more`)
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function invalid(message: string): StoresError {
  return new StoresError('invalid', message)
}
