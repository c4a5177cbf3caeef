import { type RawBuilder, sql } from 'kysely'
import { delay } from './defaults.ts'
import type { OpenDatabase } from './open-database.ts'

/** Rows that a transaction deletes. */
const rowsInStep = 100

/** Deletes rows in small transactions. What another process writes to at the moment stays for the next time. */
export async function deleteInSteps(
  { db, dialect }: Pick<OpenDatabase, 'db' | 'dialect'>,
  table: RawBuilder<unknown>,
  condition: RawBuilder<unknown>,
): Promise<void> {
  const [place, lock] = dialect === 'sqlite' ? [sql`rowid`, sql``] : [sql`ctid`, sql`for update skip locked`]
  const some = sql`select ${place} from ${table} where ${condition} limit ${rowsInStep} ${lock}`
  for (;;) {
    const { rows } = await sql`delete from ${table} where ${place} in (${some}) returning 1 as one`.execute(db)
    if (rows.length < rowsInStep) return
    await delay(0)
  }
}
