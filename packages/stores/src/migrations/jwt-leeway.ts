import type { Migration } from 'kysely/migration'

/** The column for the leeway of a project's JWTs. */
export const jwtLeeway: Migration = {
  async up(db) {
    await db.schema.alterTable('account_projects').addColumn('jwt_leeway_ms', 'integer').execute()
  },
}
