import { describePostgres, explainPostgres } from '../open-postgres.ts'
import type { CopyPlace, CopyRow } from './copy-place.ts'

const connectWithin = 5_000
/** A statement adds or reads thousands of rows, which a server at work may take its time for, in ms. */
const answerWithin = 60_000
/** Begins with the name that gateways have, so that two copies keep out of each other's way, too. */
const applicationName = 'wayleave-copy'

/** Opens a PostgreSQL database for a copy, over one connection. @throws StoresError */
export async function openPostgresPlace(url: string): Promise<CopyPlace> {
  const where = describePostgres(url)
  const explain: CopyPlace['explain'] = (thrown) => explainPostgres(thrown, where)
  const { default: pg } = await import('pg')
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectWithin,
    query_timeout: answerWithin,
    keepAlive: true,
    application_name: applicationName,
  })
  // The next statement rejects; unheard, the error would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (thrown) {
    throw explain(thrown)
  }

  async function query(
    statement: string,
    parameters: readonly (string | number | null)[] = [],
  ): Promise<readonly CopyRow[]> {
    let count = 0
    const numbered = statement.replaceAll('?', () => `$${++count}`)
    const { rows } = await client.query<CopyRow>(numbered, [...parameters])
    return rows.map(readRow)
  }

  return {
    where,
    explain,
    query,
    async transaction(work) {
      await query('begin')
      try {
        await query('set local synchronous_commit = on')
        const done = await work()
        await query('commit')
        return done
      } catch (thrown) {
        await query('rollback').catch(() => {})
        throw thrown
      }
    },
    async insert({ name }, rows) {
      if (rows.length === 0) return
      await query(
        `insert into ${name} select * from json_populate_recordset(null::${name}, ?::json) on conflict do nothing`,
        [JSON.stringify(rows)],
      )
    },
    async empty({ name }) {
      await query(`delete from ${name}`)
    },
    async isInUse() {
      const rows = await query(`select 1 from pg_stat_activity
        where datname = current_database() and application_name like 'wayleave%' and pid <> pg_backend_pid() limit 1`)
      return rows.length > 0
    },
    async close() {
      await client.end().catch(() => {})
    },
  }
}

/** 32-bit integers come as numbers, 64-bit ones as text: all integers become text here, as doubles are in one table alone. */
function readRow(row: CopyRow): CopyRow {
  const read: Record<string, string | number | null> = {}
  for (const [name, value] of Object.entries(row)) {
    read[name] = typeof value === 'number' && name !== 'gas_used_ratio' ? String(value) : value
  }
  return read
}
