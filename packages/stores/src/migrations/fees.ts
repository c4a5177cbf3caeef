import type { Migration } from 'kysely/migration'

/** Tables for the blocks of the gas API. Their row types are in `fees/sql-fee-store.ts`. */
export const fees: Migration = {
  async up(db) {
    await db.schema
      .createTable('fee_networks')
      .addColumn('network', 'text', (column) => column.primaryKey())
      .addColumn('head_hash', 'text', (column) => column.notNull())
      .addColumn('percentiles', 'text', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('fee_blocks')
      .addColumn('network', 'text', (column) => column.notNull())
      .addColumn('number', 'bigint', (column) => column.notNull())
      .addColumn('base_fee_per_gas', 'text', (column) => column.notNull())
      .addColumn('gas_used_ratio', 'double precision', (column) => column.notNull())
      .addColumn('rewards', 'text')
      .addPrimaryKeyConstraint('fee_blocks_key', ['network', 'number'])
      .execute()
  },
}
