import { migrationTable } from '../migrations/migrate.ts'
import { describePostgres, explainPostgres } from '../open-postgres.ts'
import { compare } from './inspect-sqlite.ts'
import type { StoreInspection } from './store-inspection.ts'

const withinMs = 5_000
/** A lock that a gateway holds is waited for as long, in ms. */
const lockMs = 2_000

/** Inspects a PostgreSQL database over one connection. @throws StoresError */
export async function inspectPostgres(url: string): Promise<StoreInspection> {
  const where = describePostgres(url)
  const { default: pg } = await import('pg')
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: withinMs,
    query_timeout: withinMs,
    application_name: 'wayleave',
  })
  // Unheard, an error between two questions would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    const ask = async (sql: string): Promise<readonly Readonly<Record<string, string>>[]> =>
      (await client.query<Record<string, string>>(sql)).rows
    const [server] = await ask(`select
      current_setting('server_version') as version,
      pg_database_size(current_database())::text as bytes,
      (current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int)::text as max,
      (select count(*) from pg_stat_activity where backend_type = 'client backend')::text as open,
      (to_regclass('${migrationTable}') is not null)::text as migrated`)
    const { version, bytes, max, open, migrated } = server as Record<
      'version' | 'bytes' | 'max' | 'open' | 'migrated',
      string
    >
    const rows = migrated === 'true' ? await ask(`select name from ${migrationTable} order by name`) : []
    await tryToWrite(ask, migrated === 'true')
    const connections = { max: Number(max), open: Number(open) }
    const applied = compare(rows.map(({ name }) => name!))
    return { where, exists: true, version: version.split(' ')[0]!, bytes: Number(bytes), connections, ...applied }
  } catch (thrown) {
    throw explainPostgres(thrown, where)
  } finally {
    // A server that is silent ends nothing either.
    const { stream } = (client as unknown as { readonly connection: { readonly stream: { destroy(): void } } })
      .connection
    stream.destroy()
  }
}

/** Writes in a transaction that is rolled back. */
async function tryToWrite(ask: (sql: string) => Promise<unknown>, isMigrated: boolean): Promise<void> {
  await ask('begin')
  await ask(`set local lock_timeout = ${lockMs}`)
  await ask(
    isMigrated
      ? `update ${migrationTable} set timestamp = timestamp where false; create table wayleave_write_probe (n integer)`
      : 'create table wayleave_write_probe (n integer)',
  )
  await ask('rollback')
}
