import type { Author } from '@wayleave/auth'
import { type Kysely, sql, type Transaction } from 'kysely'
import { durably } from '../durable.ts'
import { StoresError } from '../error.ts'
import { type AccountTables, withoutDigests } from './account-tables.ts'
import { checkAuthor, checkId } from './check-account.ts'
import type { Codec } from './record-codec.ts'

/** The channel that PostgreSQL notifies after each change. */
export const accountChannel = 'wayleave_accounts'

const keptChanges = 10_000

export interface AccountDatabase {
  readonly db: Kysely<AccountTables>
  readonly dialect: 'sqlite' | 'postgres'
}

/** The outcome of a change: its record before and after. */
interface Changed<Record> {
  readonly before: Record | undefined
  readonly after: Record | undefined
}

/**
 * Runs a change, and notes it. The row of the feed is locked first, so changes commit in the order of their numbers, and none is
 * left out: a number that is rolled back is given again. Resolves with the record after it, as it will be read.
 */
export async function change<Row extends object, Record extends object>(
  { db, dialect }: AccountDatabase,
  codec: Codec<Row, Record>,
  place: { readonly id: string; readonly action: string; readonly by: Author },
  work: (transaction: Transaction<AccountTables>) => Promise<Changed<Record>>,
): Promise<Record | undefined> {
  const { kind } = codec
  const { id, action, by } = place
  checkAuthor(by)
  checkId(id, `the id of a ${kind}`)
  return durably(db, dialect, async (transaction) => {
    const { seq } = await transaction
      .updateTable('account_feed')
      .set({ seq: sql<number>`seq + 1` })
      .returning('seq')
      .executeTakeFirstOrThrow()
    const { before, after } = await work(transaction)
    const row = after === undefined ? undefined : codec.write(after)
    const record = row === undefined ? null : JSON.stringify(row)
    await transaction.insertInto('account_changes').values({ seq, kind, id, record }).execute()
    await transaction
      .deleteFrom('account_changes')
      .where('seq', '<=', Number(seq) - keptChanges)
      .execute()
    const entry = { before: withoutDigests(before), after: withoutDigests(after) }
    const project = kind === 'project' ? id : ((after ?? before) as { readonly projectId?: string }).projectId
    await transaction
      .insertInto('account_audit')
      .values({ seq, at: by.at, actor: by.actor, action, kind, id, project: project ?? null, ...entry })
      .execute()
    if (dialect === 'postgres') await sql`select pg_notify(${accountChannel}, '')`.execute(transaction)
    return row === undefined ? undefined : codec.read(row)
  })
}

export function found<T>(record: T | undefined, what: string): T {
  if (record === undefined) throw missing(what)
  return record
}

export function missing(what: string): StoresError {
  return new StoresError('not_found', `there is no ${what}`)
}

export function conflict(message: string): StoresError {
  return new StoresError('conflict', message)
}
