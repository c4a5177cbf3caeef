import type { Migration } from 'kysely/migration'

/** Tables for the pins of the IPFS API, and for each project's usage. Their row types are in `pins/sql-pin-ledger.ts`. */
export const pins: Migration = {
  async up(db) {
    await db.schema
      .createTable('pin_projects')
      .addColumn('project', 'text', (column) => column.primaryKey())
      .addColumn('stored_bytes', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('pins')
      .addColumn('project', 'text', (column) => column.notNull())
      .addColumn('cid', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('name', 'text')
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('pins_key', ['project', 'cid'])
      .execute()
    await db.schema.createIndex('pins_by_cid').on('pins').columns(['cid', 'type']).execute()
    await db.schema
      .createTable('pin_transfers')
      .addColumn('project', 'text', (column) => column.notNull())
      .addColumn('month', 'text', (column) => column.notNull())
      .addColumn('uploaded_bytes', 'bigint', (column) => column.notNull())
      .addColumn('downloaded_bytes', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('pin_transfers_key', ['project', 'month'])
      .execute()
  },
}
