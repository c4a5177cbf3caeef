import type { StoresOptions } from '../stores.ts'
import { inspectPostgres } from './inspect-postgres.ts'
import { inspectSqlite } from './inspect-sqlite.ts'
import type { StoreInspection } from './store-inspection.ts'

/**
 * Inspects a database and its place: whether it can be read and written, its migrations, its room. It changes nothing; what it writes to
 * find out, it takes back. It waits five seconds at most for PostgreSQL, and leaves a running gateway alone.
 * @throws StoresError `unavailable`, `corrupt`, `unsupported_runtime`
 */
export async function inspectStore(options: StoresOptions): Promise<StoreInspection> {
  return 'sqlite' in options ? inspectSqlite(options.sqlite) : inspectPostgres(options.postgres)
}
