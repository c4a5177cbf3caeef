import type { Migration } from 'kysely/migration'

/** Tables for projects, keys and plans, their change feed and audit log. Their row types are in `accounts/account-tables.ts`. */
export const accounts: Migration = {
  async up(db) {
    await db.schema
      .createTable('account_feed')
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .execute()
    await db
      .$extendTables<{ readonly account_feed: { readonly seq: number } }>()
      .insertInto('account_feed')
      .values({ seq: 0 })
      .execute()
    await db.schema
      .createTable('account_plans')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('limits', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('account_projects')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('plan', 'text', (column) => column.references('account_plans.id'))
      .addColumn('disabled', 'integer', (column) => column.notNull())
      .addColumn('require_secret', 'integer', (column) => column.notNull())
      .addColumn('require_jwt', 'integer', (column) => column.notNull())
      .addColumn('secret_overrides_rules', 'integer', (column) => column.notNull())
      .addColumn('rules', 'text', (column) => column.notNull())
      .addColumn('limits', 'text')
      .addColumn('settings', 'text', (column) => column.notNull())
      .addColumn('jwt_keys', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('account_keys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('project', 'text', (column) => column.notNull().references('account_projects.id'))
      .addColumn('digest', 'text', (column) => column.notNull().unique())
      .addColumn('hint', 'text', (column) => column.notNull())
      .addColumn('label', 'text', (column) => column.notNull())
      .addColumn('disabled', 'integer', (column) => column.notNull())
      .addColumn('expires_at', 'bigint')
      .addColumn('limits', 'text')
      .addColumn('secrets', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('account_keys_by_project').on('account_keys').columns(['project', 'id']).execute()
    await db.schema
      .createTable('account_key_uses')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('used_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('account_changes')
      .addColumn('seq', 'bigint', (column) => column.primaryKey())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('record', 'text')
      .execute()
    await db.schema
      .createTable('account_audit')
      .addColumn('seq', 'bigint', (column) => column.primaryKey())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('actor', 'text', (column) => column.notNull())
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('project', 'text')
      .addColumn('before', 'text')
      .addColumn('after', 'text')
      .execute()
    await db.schema.createIndex('account_audit_by_project').on('account_audit').columns(['project', 'seq']).execute()
  },
}
