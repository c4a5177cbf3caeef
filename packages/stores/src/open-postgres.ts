import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import type { Client, Pool, PoolConfig } from 'pg'
import { accountChannel } from './accounts/change-accounts.ts'
import { atMost } from './defaults.ts'
import { listenTo } from './postgres-listener.ts'
import { type StoreFault, StoresError } from './error.ts'
import { probeStatement } from './migrations/probe.ts'
import type { OpenDatabase } from './open-database.ts'

/** Milliseconds. */
const connectWithin = 5_000
const answerWithin = 5_000
const idleAfter = 30_000
const closeWithin = 2_000
const mostConnections = 4

/** Opens a database that connects with its first query. @throws StoresError `unavailable` for anything but a PostgreSQL URL. */
export async function openPostgres(url: string): Promise<OpenDatabase> {
  const where = describePostgres(url)
  const { default: pg } = await import('pg')
  const settings: PoolConfig = {
    connectionString: url,
    idleTimeoutMillis: idleAfter,
    connectionTimeoutMillis: connectWithin,
    // Kept by the client alone: a frozen server keeps no time, and a pooler between may refuse to set one.
    query_timeout: answerWithin,
    application_name: 'wayleave',
  }
  const calls = watched(new pg.Pool({ ...settings, max: mostConnections }))
  // A connection of its own: a probe that waits behind calls would take a busy store for a dead one.
  const probes = watched(new pg.Pool({ ...settings, max: 1 }))
  const db = new Kysely<object>({ dialect: new PostgresDialect({ pool: calls.pool }) })

  const listener = listenTo(accountChannel, () => new pg.Client({ ...settings, keepAlive: true }))

  async function probe(): Promise<void> {
    const client = await probes.pool.connect()
    try {
      await client.query(probeStatement, [])
    } finally {
      client.release()
    }
  }

  return {
    dialect: 'postgres',
    where,
    db,
    notices: [],
    explain: (thrown) => explainPostgres(thrown, where),
    check() {},
    probe,
    listen: listener.listen,
    makeRoom: () => false,
    sync: async () => {},
    async close() {
      listener.close()
      await Promise.all([calls.end(db.destroy()), probes.end(probes.pool.end())])
    },
  }
}

/** A pool whose connections leave it once one of their queries had no answer: it may never come. */
function watched(pool: Pool): { readonly pool: PostgresPool; end(ended: Promise<void>): Promise<void> } {
  const open = new Set<Client>()
  // The next call replaces a connection that ended; unheard, its error would end the process. The pool hears of idle ones alone.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    open.add(client as unknown as Client)
  })
  pool.on('remove', (client) => open.delete(client as unknown as Client))

  return {
    pool: {
      async connect() {
        const client = await pool.connect()
        let isSilent = false
        return {
          async query(text: string, parameters: readonly unknown[]) {
            if (isSilent) throw new Error('Query read timeout')
            try {
              return await client.query(text, [...parameters])
            } catch (thrown) {
              isSilent = isTimeout(thrown)
              throw thrown
            }
          },
          release: (discard?: boolean) => client.release(discard === true || isSilent),
        } as unknown as PostgresPoolClient
      },
      end: () => pool.end(),
      options: pool.options,
    },
    /** A server that is silent does not end its side either. */
    async end(ended) {
      await atMost(closeWithin, ended)
      for (const client of open) streamOf(client).destroy()
    },
  }
}

function streamOf(client: Client): { destroy(): void } {
  return (client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }).connection.stream
}

/** In the words of `pg`, which gives these errors no code. */
function isTimeout(thrown: unknown): boolean {
  return (
    thrown instanceof Error &&
    /^(?:Query read timeout|timeout expired|timeout exceeded|Connection terminated due to connection timeout)/.test(
      thrown.message,
    )
  )
}

/** Names host and database, without user and password. @throws StoresError for anything but a PostgreSQL URL */
export function describePostgres(url: string): string {
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

/** Turns an error of the driver into ours. Leaves out the server's message if it names the user. */
export function explainPostgres(thrown: unknown, where: string): StoresError {
  if (thrown instanceof StoresError) return thrown
  const { code } = (thrown ?? {}) as { readonly code?: unknown }
  const state = typeof code === 'string' ? code : undefined
  if (state?.startsWith('28')) {
    const message = `${where} refused the user or the password (${state})`
    return new StoresError('unavailable', message, { fault: 'refused' })
  }
  const said = thrown instanceof Error ? thrown.message : ''
  const namesUser = /\b(?:role|user)\b/i.test(said)
  const reason = said === '' || namesUser ? 'it failed' : said
  return new StoresError('unavailable', `${where} cannot be used: ${reason}${state ? ` (${state})` : ''}`, {
    cause: namesUser ? undefined : thrown,
    fault: isTimeout(thrown) ? 'silent' : faultOf(state),
  })
}

/** Source: PostgreSQL, Appendix A, and the codes of the system where nobody listens. */
function faultOf(state: string | undefined): StoreFault {
  if (state === '25006') return 'read_only'
  if (state === '53100') return 'full'
  if (state === undefined || /^(?:08|57P0|53300|E[A-Z]+$|EAI_)/.test(state)) return 'unreachable'
  return state.startsWith('XX') ? 'damaged' : 'failed'
}
