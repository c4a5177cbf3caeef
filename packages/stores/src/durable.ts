import { type Kysely, sql, type Transaction } from 'kysely'

/** Runs `work` in one transaction that is on the disk before it resolves, whatever the connection's default is. */
export function durably<T, Tables>(
  db: Kysely<Tables>,
  dialect: 'sqlite' | 'postgres',
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  if (dialect === 'postgres') {
    return db.transaction().execute(async (transaction) => {
      await sql`set local synchronous_commit = on`.execute(transaction)
      return work(transaction)
    })
  }
  return db.connection().execute(async (connection) => {
    await sql`pragma synchronous = full`.execute(connection)
    try {
      return await connection.transaction().execute(work)
    } finally {
      await sql`pragma synchronous = normal`.execute(connection)
    }
  })
}
