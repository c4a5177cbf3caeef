import type { Kysely, Transaction } from 'kysely'
import type { AccountStore } from './account-store.ts'
import {
  type AccountTables,
  auditOf,
  type ChangeRow,
  changeOf,
  keyCodec,
  planCodec,
  projectCodec,
} from './account-tables.ts'
import { checkCount, checkId, checkLimit, checkTime, mostInPage } from './check-account.ts'
import { createSqlKeys } from './sql-keys.ts'
import { createSqlProjects, projectRemoval } from './sql-projects.ts'

const rowsInTransaction = 200

/** Keeps accounts in SQL that both databases understand. */
export function createSqlAccountStore(
  database: Kysely<object>,
  dialect: 'sqlite' | 'postgres',
): Omit<AccountStore, 'follow'> {
  const db = database.$extendTables<AccountTables>()

  return {
    ...createSqlProjects({ db, dialect }),
    ...createSqlKeys({ db, dialect }),

    snapshot: () =>
      consistently(db, dialect, async (transaction) => {
        const { seq } = await transaction.selectFrom('account_feed').select('seq').executeTakeFirstOrThrow()
        const plans = await transaction.selectFrom('account_plans').selectAll().orderBy('id').execute()
        const projects = await transaction.selectFrom('account_projects').selectAll().orderBy('id').execute()
        const keys = await transaction.selectFrom('account_keys').selectAll().orderBy('id').execute()
        return {
          seq: Number(seq),
          plans: plans.map(planCodec.read),
          projects: projects.map(projectCodec.read),
          keys: keys.map(keyCodec.read),
        }
      }),

    async changes(after, limit) {
      checkCount(after, 'after')
      checkLimit(limit, mostInPage)
      // One statement, so that the head and the changes are of one moment.
      const rows = await db
        .selectFrom('account_feed')
        .leftJoin('account_changes', (join) => join.on('account_changes.seq', '>', after))
        .select(['account_feed.seq as head', 'account_changes.seq', 'kind', 'id', 'record'])
        .orderBy('account_changes.seq')
        .limit(limit)
        .execute()
      const first = rows[0]!
      if (first.seq === null) return Number(first.head) === after ? [] : undefined
      return Number(first.seq) === after + 1 ? rows.map((row) => changeOf(row as ChangeRow)) : undefined
    },

    async touch(uses) {
      const latest = new Map<string, number>()
      for (const { keyId, usedAt } of uses) {
        checkId(keyId, 'the id of a key that was used')
        checkTime(usedAt, `the use of key "${keyId}"`)
        latest.set(keyId, Math.max(usedAt, latest.get(keyId) ?? 0))
      }
      // In one order, so that processes never wait for one another in a circle.
      const rows = [...latest].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, used_at]) => ({ key, used_at }))
      for (let i = 0; i < rows.length; i += rowsInTransaction) {
        await db
          .insertInto('account_key_uses')
          .values(rows.slice(i, i + rowsInTransaction))
          .onConflict((conflict) =>
            conflict
              .column('key')
              .doUpdateSet(({ ref }) => ({ used_at: ref('excluded.used_at') }))
              .whereRef('account_key_uses.used_at', '<', 'excluded.used_at'),
          )
          .execute()
      }
    },

    async lastUsed(keyIds) {
      if (keyIds.length === 0) return new Map()
      checkLimit(keyIds.length, mostInPage)
      const rows = await db
        .selectFrom('account_key_uses')
        .selectAll()
        .where('key', 'in', [...keyIds])
        .execute()
      return new Map(rows.map((row) => [row.key, Number(row.used_at)]))
    },

    async audit({ project, before, limit }) {
      checkLimit(limit, mostInPage)
      if (before !== undefined) checkCount(before, 'before')
      const rows = await db
        .selectFrom('account_audit')
        .selectAll()
        .$if(project !== undefined, (query) => query.where('project', '=', project!))
        .$if(before !== undefined, (query) => query.where('seq', '<', before!))
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute()
      return rows.map(auditOf)
    },

    async prune({ auditBefore }) {
      checkTime(auditBefore, 'auditBefore')
      for (;;) {
        const query = db
          .selectFrom('account_audit')
          .select('seq')
          .where('at', '<', auditBefore)
          .where('action', '!=', projectRemoval)
        const rows = await query.orderBy('seq').limit(rowsInTransaction).execute()
        if (rows.length === 0) break
        await db
          .deleteFrom('account_audit')
          .where(
            'seq',
            'in',
            rows.map(({ seq }) => seq),
          )
          .execute()
      }
      // One by one: processes that note uses wait for none of these.
      for (;;) {
        const query = db
          .selectFrom('account_key_uses')
          .leftJoin('account_keys', 'account_keys.id', 'account_key_uses.key')
          .where('account_keys.id', 'is', null)
        const rows = await query.select('key').limit(rowsInTransaction).execute()
        if (rows.length === 0) break
        for (const { key } of rows) await db.deleteFrom('account_key_uses').where('key', '=', key).execute()
      }
    },
  }
}

/** Runs reads of one moment. */
function consistently<T>(
  db: Kysely<AccountTables>,
  dialect: 'sqlite' | 'postgres',
  work: (transaction: Transaction<AccountTables>) => Promise<T>,
): Promise<T> {
  const transaction = db.transaction()
  return (dialect === 'postgres' ? transaction.setIsolationLevel('repeatable read') : transaction).execute(work)
}
