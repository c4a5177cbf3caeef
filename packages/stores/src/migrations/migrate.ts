import { type Kysely, sql, type Transaction } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { StoresError } from '../error.ts'
import { accounts } from './accounts.ts'
import { baseFees } from './base-fees.ts'
import { fees } from './fees.ts'
import { filters } from './filters.ts'
import { jwtLeeway } from './jwt-leeway.ts'
import { pins } from './pins.ts'
import { pinLeases } from './pin-leases.ts'
import { pinStore } from './pin-store.ts'
import { planNames } from './plan-names.ts'
import { probe } from './probe.ts'
import { usage } from './usage.ts'

/** All migrations, in order: a new table gets a line here. A published name never changes. */
const migrations: Readonly<Record<string, Migration>> = {
  '0001-fees': fees,
  '0002-pins': pins,
  '0003-probe': probe,
  '0004-accounts': accounts,
  '0005-usage': usage,
  '0006-base-fees': baseFees,
  '0007-filters': filters,
  '0008-pin-store': pinStore,
  '0009-pin-leases': pinLeases,
  '0010-plan-names': planNames,
  '0011-jwt-leeway': jwtLeeway,
}

/** The names of all migrations, in order. */
export const migrationNames: readonly string[] = Object.keys(migrations)

/** The table of those that a database had. */
export const migrationTable = 'wayleave_migrations'

/** Stands among the names of a database that a copy has begun to fill, and keeps every version from opening it. */
export const copyMarker = 'copy-unfinished'

/** The advisory lock's number, which nothing else in the database may use: "wayleave" in ASCII. */
const advisoryLock = 0x7761796c65617665n

/**
 * Brings a database up to date in one transaction, so that two processes that start at once take turns.
 * @throws StoresError `newer_version`; what the database throws.
 */
export async function migrate(db: Kysely<object>, dialect: 'sqlite' | 'postgres', where: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // On SQLite the transaction already holds the file's lock.
    if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(advisoryLock)})`.execute(transaction)
    const newer = (await appliedNames(transaction)).find((name) => !Object.hasOwn(migrations, name))
    if (newer === copyMarker) {
      throw new StoresError(
        'conflict',
        `${where} is the place of a copy that has not ended: end it by the same wayleave store copy, or start with another database`,
      )
    }
    if (newer !== undefined) {
      throw new StoresError(
        'newer_version',
        `${where} was changed by a newer version (migration "${newer}"): run that version, or start with an empty database`,
      )
    }
    const migrator = new Migrator({
      db: transaction,
      provider: { getMigrations: async () => migrations },
      migrationTableName: migrationTable,
      migrationLockTableName: `${migrationTable}_lock`,
    })
    const { error } = await migrator.migrateToLatest()
    if (error !== undefined) throw error
  })
}

async function appliedNames(transaction: Transaction<object>): Promise<readonly string[]> {
  const tables = await transaction.introspection.getTables()
  if (!tables.some(({ name }) => name === migrationTable)) return []
  const { rows } = await sql<{
    readonly name: string
  }>`select name from ${sql.table(migrationTable)} order by name`.execute(transaction)
  return rows.map(({ name }) => name)
}
