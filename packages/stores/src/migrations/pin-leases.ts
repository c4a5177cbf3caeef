import type { Migration } from 'kysely/migration'

/** The table for the leases of CIDs while a backend pins or unpins them. Its row type is in `pins/pin-leases.ts`. */
export const pinLeases: Migration = {
  async up(db) {
    await db.schema
      .createTable('pin_leases')
      .addColumn('cid', 'text', (column) => column.notNull())
      .addColumn('holder', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('pin_leases_key', ['cid', 'holder'])
      .execute()
    await db.schema.createIndex('pin_leases_by_expiry').on('pin_leases').columns(['expires_at']).execute()
  },
}
