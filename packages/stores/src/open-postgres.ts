import { Kysely, PostgresDialect } from 'kysely'
import { StoresError } from './error.ts'
import type { OpenDatabase } from './open-database.ts'

/** Milliseconds. */
const connectWithin = 10_000
const answerWithin = 10_000
const idleAfter = 30_000
const mostConnections = 4

/** Opens a database that connects with its first query. @throws StoresError `unavailable` for anything but a PostgreSQL URL. */
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
  // The next call replaces a connection that ended; unheard, its error would end the process. The pool hears of idle ones alone.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
  return { dialect: 'postgres', where, db, explain: (thrown) => explained(thrown, where) }
}

/** Names host and database, without user and password. */
function describeUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  // After an unencoded `/`, `?` or `#` in the password, the part that looks like the host is user and password.
  const isCutShort = parsed !== undefined && /[@#]/.test(parsed.pathname + parsed.search + parsed.hash)
  if (parsed === undefined || !/^postgres(?:ql)?:$/.test(parsed.protocol) || isCutShort) {
    throw new StoresError(
      'unavailable',
      'expected a URL of the form postgres://user:password@host:5432/database, other characters than letters and digits percent-encoded',
    )
  }
  const host = parsed.host || parsed.searchParams.get('host') || 'localhost'
  return `the PostgreSQL database ${host}${parsed.pathname}`
}

/** Leaves out the server's message if it names the user. */
function explained(thrown: unknown, where: string): StoresError {
  if (thrown instanceof StoresError) return thrown
  const { code } = (thrown ?? {}) as { readonly code?: unknown }
  const state = typeof code === 'string' ? code : undefined
  if (state?.startsWith('28')) {
    return new StoresError('unavailable', `${where} refused the user or the password (${state})`)
  }
  const said = thrown instanceof Error ? thrown.message : ''
  const namesUser = /\b(?:role|user)\b/i.test(said)
  const reason = said === '' || namesUser ? 'it failed' : said
  return new StoresError('unavailable', `${where} cannot be used: ${reason}${state ? ` (${state})` : ''}`, {
    cause: namesUser ? undefined : thrown,
  })
}
