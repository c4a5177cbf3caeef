import type { Migration } from 'kysely/migration'

/** The table for the store that keeps the blocks of the pins. Its row type is in `pins/sql-pin-ledger.ts`. */
export const pinStore: Migration = {
  async up(db) {
    await db.schema
      .createTable('pin_store')
      .addColumn('slot', 'integer', (column) => column.primaryKey())
      .addColumn('store', 'text', (column) => column.notNull())
      .execute()
  },
}
