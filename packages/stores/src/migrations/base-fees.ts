import type { Migration } from 'kysely/migration'

/** A table for the base fees before the blocks of the gas API. Its row type is in `fees/sql-base-fees.ts`. */
export const baseFees: Migration = {
  async up(db) {
    await db.schema
      .createTable('fee_base_fees')
      .addColumn('network', 'text', (column) => column.notNull())
      .addColumn('part', 'bigint', (column) => column.notNull())
      .addColumn('first_number', 'bigint', (column) => column.notNull())
      .addColumn('last_number', 'bigint', (column) => column.notNull())
      .addColumn('base_fees', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('fee_base_fees_key', ['network', 'part'])
      .execute()
  },
}
