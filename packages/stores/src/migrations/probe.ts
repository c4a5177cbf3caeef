import type { Migration } from 'kysely/migration'

/** The table whose one row every probe writes. */
export const probe: Migration = {
  async up(db) {
    await db.schema
      .createTable('store_probe')
      .addColumn('beats', 'bigint', (column) => column.notNull())
      .execute()
    await db
      .$extendTables<{ readonly store_probe: { readonly beats: number } }>()
      .insertInto('store_probe')
      .values({ beats: 0 })
      .execute()
  },
}

/** The statement of a probe. */
export const probeStatement = 'update store_probe set beats = beats + 1'
