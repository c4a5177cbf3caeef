import type { Migration } from 'kysely/migration'

/** The table for the filters of `eth_newFilter` and its like. Its row type is in `filters/sql-filter-table.ts`. */
export const filters: Migration = {
  async up(db) {
    await db.schema
      .createTable('filters')
      .addColumn('network', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('project', 'text')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('criteria', 'text', (column) => column.notNull())
      .addColumn('cursor_number', 'bigint', (column) => column.notNull())
      .addColumn('cursor_hash', 'text', (column) => column.notNull())
      .addColumn('pending_cursor', 'text')
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('revision', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('filters_key', ['network', 'id'])
      .execute()
    await db.schema.createIndex('filters_by_expiry').on('filters').columns(['expires_at']).execute()
  },
}
