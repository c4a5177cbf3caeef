import type { Migration } from 'kysely/migration'

/** Tables for usage, and for how far each process has delivered its own. Their row types are in `usage/sql-usage-store.ts`. */
export const usage: Migration = {
  async up(db) {
    await db.schema
      .createTable('usage_processes')
      .addColumn('process', 'text', (column) => column.primaryKey())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('added', 'bigint', (column) => column.notNull())
      .addColumn('added_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('usage_rows')
      .addColumn('period', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('project', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('network', 'text', (column) => column.notNull())
      .addColumn('method', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('calls', 'bigint', (column) => column.notNull())
      .addColumn('credits', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('usage_rows_key', ['period', 'at', 'project', 'key', 'network', 'method', 'status'])
      .execute()
    await db.schema.createIndex('usage_rows_by_project').on('usage_rows').columns(['project', 'period', 'at']).execute()
  },
}
