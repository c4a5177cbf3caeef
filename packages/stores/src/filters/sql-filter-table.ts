import { sql } from 'kysely'
import { deleteInSteps } from '../delete-in-steps.ts'
import type { OpenDatabase } from '../open-database.ts'
import { corruptFilter, type FilterTable, type StoredFilter } from './filter-store.ts'

/** The table of `migrations/filters.ts`, as the newest migration leaves it. PostgreSQL gives 64-bit integers as text. */
type FilterTables = {
  readonly filters: FilterRow & { readonly network: string }
}

interface FilterRow {
  readonly id: string
  readonly project: string | null
  readonly kind: string
  /** JSON. */
  readonly criteria: string
  readonly cursor_number: number | string
  readonly cursor_hash: string
  readonly pending_cursor: string | null
  readonly expires_at: number | string
  readonly revision: number | string
}

const columns = [
  'id',
  'project',
  'kind',
  'criteria',
  'cursor_number',
  'cursor_hash',
  'pending_cursor',
  'expires_at',
  'revision',
] as const

/** Keeps filters in SQL that both databases understand. */
export function createSqlFilterTable(database: Pick<OpenDatabase, 'db' | 'dialect'>): FilterTable {
  const db = database.db.$extendTables<FilterTables>()

  async function countOf(network: string, project: string): Promise<number> {
    const { count } = await db
      .selectFrom('filters')
      .where('network', '=', network)
      .where('project', '=', project)
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  return {
    async get(network, id) {
      const row = await db
        .selectFrom('filters')
        .where('network', '=', network)
        .where('id', '=', id)
        .select(columns)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const filter = filterOf(row)
      if (filter === undefined) throw corruptFilter(id)
      return filter
    },

    async put(network, filter, most) {
      const { id, cursor, pendingCursor, expiresAt, revision } = filter
      const place = {
        cursor_number: cursor.number,
        cursor_hash: cursor.hash,
        pending_cursor: pendingCursor ?? null,
        expires_at: expiresAt,
        revision,
      }
      if (revision > 0) {
        const moved = await db
          .updateTable('filters')
          .set(place)
          .where('network', '=', network)
          .where('id', '=', id)
          .where('revision', '=', revision - 1)
          .returning('id')
          .executeTakeFirst()
        return moved !== undefined
      }
      const { project = null, kind, criteria } = filter
      if (project !== null && most !== undefined && (await countOf(network, project)) >= most) return false
      const added = await db
        .insertInto('filters')
        .values({ network, id, project, kind, criteria: JSON.stringify(criteria ?? null), ...place })
        .onConflict((conflict) => conflict.columns(['network', 'id']).doNothing())
        .returning('id')
        .executeTakeFirst()
      return added !== undefined
    },

    async remove(network, id) {
      const removed = await db
        .deleteFrom('filters')
        .where('network', '=', network)
        .where('id', '=', id)
        .returning('id')
        .executeTakeFirst()
      return removed !== undefined
    },

    async list(network, now, limit) {
      const rows = await db
        .selectFrom('filters')
        .where('network', '=', network)
        .where('expires_at', '>', now)
        .select(columns)
        .orderBy('expires_at', 'desc')
        .limit(limit)
        .execute()
      return rows.flatMap((row) => filterOf(row) ?? []).toReversed()
    },

    prune: (now) => deleteInSteps(database, sql`filters`, sql`expires_at <= ${now}`),
  }
}

/** Undefined where it is not what was written. */
function filterOf(row: FilterRow): StoredFilter | undefined {
  const { id, kind } = row
  if (kind !== 'logs' && kind !== 'blocks' && kind !== 'pending') return undefined
  let criteria: unknown
  try {
    criteria = JSON.parse(row.criteria)
  } catch {
    return undefined
  }
  return {
    id,
    project: row.project ?? undefined,
    kind,
    criteria,
    cursor: { number: Number(row.cursor_number), hash: row.cursor_hash },
    pendingCursor: row.pending_cursor ?? undefined,
    expiresAt: Number(row.expires_at),
    revision: Number(row.revision),
  }
}
