import { type RawBuilder, sql, type Transaction } from 'kysely'
import { delay } from '../defaults.ts'
import { StoresError } from '../error.ts'
import type { OpenDatabase } from '../open-database.ts'
import type { UsageDimension, UsagePeriod, UsageRow, UsageStore, UsageSum } from './usage-store.ts'

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
/** Rows that a transaction writes. This thread builds its statement, and on SQLite also runs it: more would block it for longer. */
const rowsInTransaction = { sqlite: 50, postgres: 150 } as const

/** Keeps usage in SQL that both databases understand. */
export function createSqlUsageStore(database: Pick<OpenDatabase, 'db' | 'dialect' | 'sync'>): UsageStore {
  const { dialect, sync } = database
  const db = database.db.$extendTables<UsageTables>()
  const mostRows = rowsInTransaction[dialect]
  // Each row counts to its minute, hour and day.
  const rowsInStep = Math.floor(mostRows / periods.length)

  /** Adds the next rows of a batch. Resolves with whether any are left. */
  async function addSome(process: string, seq: number, rows: readonly UsageRow[]): Promise<boolean> {
    return db.transaction().execute(async (transaction) => {
      const before = await lockedProcess(transaction, process)
      if (before.seq > seq) return false
      const start = before.seq === seq ? before.added : 0
      if (before.seq === seq && start >= rows.length) return false
      const some = rows.slice(start, start + rowsInStep)
      const added = start + some.length
      await upsert(transaction, some)
      const added_at = some.reduce((latest, { minute }) => Math.max(latest, minute * periodMs.minute), before.addedAt)
      await transaction
        .updateTable('usage_processes')
        .set({ seq, added, added_at })
        .where('process', '=', process)
        .execute()
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
        await inSteps(sql`usage_rows`, sql`period = ${period} and at < ${limit}`)
      }
      if (before.processes === undefined) return
      checkCount(before.processes, 'processes')
      await inSteps(sql`usage_processes`, sql`added_at < ${before.processes}`)
    },
  }

  /** Deletes in small transactions. What another process writes to at the moment stays for the next time. */
  async function inSteps(table: RawBuilder<unknown>, condition: RawBuilder<unknown>): Promise<void> {
    const [place, lock] = dialect === 'sqlite' ? [sql`rowid`, sql``] : [sql`ctid`, sql`for update skip locked`]
    const some = sql`select ${place} from ${table} where ${condition} limit ${mostRows} ${lock}`
    for (;;) {
      const { rows } = await sql`delete from ${table} where ${place} in (${some}) returning 1 as one`.execute(db)
      if (rows.length < mostRows) return
      await delay(0)
    }
  }
}

/** Reads how far a process came; on PostgreSQL its row is locked. */
async function lockedProcess(
  transaction: Transaction<UsageTables>,
  process: string,
): Promise<{ readonly seq: number; readonly added: number; readonly addedAt: number }> {
  const row = await transaction
    .insertInto('usage_processes')
    .values({ process, seq: -1, added: 0, added_at: 0 })
    .onConflict((conflict) => conflict.column('process').doUpdateSet({ seq: sql`usage_processes.seq` }))
    .returning(['seq', 'added', 'added_at'])
    .executeTakeFirstOrThrow()
  return { seq: Number(row.seq), added: Number(row.added), addedAt: Number(row.added_at) }
}

async function upsert(transaction: Transaction<UsageTables>, rows: readonly UsageRow[]): Promise<void> {
  const sums = new Map<string, UsageTables['usage_rows'] & { calls: number; credits: number }>()
  for (const period of periods) {
    for (const { minute, project, key, network, method, status, calls, credits } of rows) {
      const within = minute * periodMs.minute
      const at = within - (within % periodMs[period])
      const place = JSON.stringify([period, at, project, key, network, method, status])
      const sum = sums.get(place)
      if (sum === undefined) {
        sums.set(place, { period, at, project, key, network, method, status, calls, credits })
      } else {
        sum.calls += calls
        sum.credits += credits
      }
    }
  }
  if (sums.size === 0) return
  // In one order, so that processes never wait for one another in a circle.
  const values = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
  await transaction
    .insertInto('usage_rows')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['period', 'at', ...dimensions]).doUpdateSet({
        calls: sql`usage_rows.calls + excluded.calls`,
        credits: sql`usage_rows.credits + excluded.credits`,
      }),
    )
    .execute()
}

/** As text: SQLite refuses to read integers beyond 2^53. */
function totalOf(column: 'calls' | 'credits'): RawBuilder<string | null> {
  return sql<string | null>`cast(sum(${sql.ref(column)}) as text)`
}

function checkRow(row: UsageRow, index: number): void {
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
  const isText = typeof value === 'string' && value.length <= mostTextLength
  if (isText && !/\p{Surrogate}/u.test(value) && !value.includes('\u0000')) return
  throw invalid(`${what}: expected a text of at most ${mostTextLength} characters`)
}

function checkCount(value: unknown, what: string): void {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return
  throw invalid(`${what}: expected a whole number, 0 or more`)
}

function invalid(message: string): StoresError {
  return new StoresError('invalid', message)
}
