import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Has projects and keys name plans that are in no row: those of a configuration. */
export const planNames: Migration = {
  async up(db) {
    for (const table of ['account_projects', 'account_keys']) await freeColumn(db, table)
  },
}

/** Makes the column `plan` anew, as SQLite takes no reference away. */
async function freeColumn(db: Kysely<unknown>, table: string): Promise<void> {
  await db.schema.alterTable(table).addColumn('plan_name', 'text').execute()
  await sql`update ${sql.table(table)} set plan_name = plan`.execute(db)
  await db.schema.alterTable(table).dropColumn('plan').execute()
  await db.schema.alterTable(table).renameColumn('plan_name', 'plan').execute()
}
