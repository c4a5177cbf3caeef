import { Kysely, PostgresDialect } from 'kysely'
import type { Database } from '../database.ts'
import { StoresError } from '../error.ts'
import type { OpenDatabase } from '../open-database.ts'

/** Milliseconds. */
const connectWithin = 10_000
const answerWithin = 10_000
const idleAfter = 30_000
const mostConnections = 4

/** Connects with the first query. @throws StoresError `unavailable` for what is no URL of PostgreSQL. */
export async function openPostgres(url: string): Promise<OpenDatabase> {
  const where = describeUrl(url)
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({
    connectionString: url,
    max: mostConnections,
    idleTimeoutMillis: idleAfter,
    connectionTimeoutMillis: connectWithin,
    query_timeout: answerWithin,
    application_name: 'wayleave',
  })
  // An idle connection that ends is replaced by the next call; unheard, it would end the process.
  pool.on('error', () => {})
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  return { dialect: 'postgres', where, db, explain: (thrown) => explained(thrown, where) }
}

/** Host and database, without user and password. */
function describeUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^postgres(?:ql)?:$/.test(parsed.protocol)) {
    throw new StoresError('unavailable', 'expected a URL of the form postgres://user:password@host:5432/database')
  }
  const host = parsed.host || parsed.searchParams.get('host') || 'localhost'
  return `the PostgreSQL database ${host}${parsed.pathname}`
}

/** The driver's own words of a refused login name the user: those go no further. */
function explained(thrown: unknown, where: string): StoresError {
  if (thrown instanceof StoresError) return thrown
  const { code } = (thrown ?? {}) as { readonly code?: unknown }
  const state = typeof code === 'string' ? code : undefined
  if (state?.startsWith('28')) {
    return new StoresError('unavailable', `${where} refused the user or the password (${state})`)
  }
  const reason = thrown instanceof Error && thrown.message !== '' ? thrown.message : 'it failed'
  return new StoresError('unavailable', `${where} cannot be used: ${reason}${state ? ` (${state})` : ''}`, {
    cause: thrown,
  })
}
