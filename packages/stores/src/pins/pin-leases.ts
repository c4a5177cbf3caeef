import type { PinLedger } from '@wayleave/ipfs-http/server'
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'

/** The tables that leases read and write. */
type LeaseTables = {
  readonly pin_leases: {
    readonly cid: string
    readonly holder: string
    readonly kind: string
    /** Ms since the Unix epoch, by the clock of the database, which all processes share. */
    readonly expires_at: number
  }
  readonly pins: { readonly cid: string; readonly type: string }
}

type PinLeases = Pick<PinLedger, 'lease' | 'renewLease' | 'endLease' | 'expiredLeases'>

/** The first half of the advisory locks of CIDs, "pins" in ASCII; the other one is a hash of the CID. */
const lockSpace = 0x70696e73

/** Keeps leases of CIDs in SQL that both databases understand. Each call is one short transaction. */
export function createPinLeases(database: Kysely<object>, dialect: 'sqlite' | 'postgres'): PinLeases {
  const db = database.$extendTables<LeaseTables>()
  const now: RawBuilder<number> =
    dialect === 'postgres'
      ? sql`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
      : sql`cast(unixepoch('subsec') * 1000 as integer)`

  /** Runs a transaction that takes turns with others of the same CID. */
  function inTurn<T>(cid: string, work: (transaction: Transaction<LeaseTables>) => Promise<T>): Promise<T> {
    // A snapshot of before the lock would not show what the holder before has changed.
    const isolated = dialect === 'postgres' ? db.transaction().setIsolationLevel('read committed') : db.transaction()
    return isolated.execute(async (transaction) => {
      // On SQLite the transaction already holds the file's lock.
      if (dialect === 'postgres') {
        await sql`select pg_advisory_xact_lock(${sql.lit(lockSpace)}, hashtext(${cid}))`.execute(transaction)
      }
      return work(transaction)
    })
  }

  /** Reads the kinds of the leases of others that have not expired. */
  async function othersOf(transaction: Transaction<LeaseTables>, cid: string, holder: string): Promise<Set<string>> {
    const rows = await transaction
      .selectFrom('pin_leases')
      .where('cid', '=', cid)
      .where('holder', '<>', holder)
      .where('expires_at', '>', now)
      .select('kind')
      .execute()
    return new Set(rows.map(({ kind }) => kind))
  }

  async function pinOf(
    transaction: Transaction<LeaseTables>,
    cid: string,
  ): Promise<'recursive' | 'direct' | undefined> {
    // "recursive" sorts after "direct".
    const { type } = await transaction
      .selectFrom('pins')
      .where('cid', '=', cid)
      .select(({ fn }) => fn.max<string | null>('type').as('type'))
      .executeTakeFirstOrThrow()
    return type === null ? undefined : type === 'recursive' ? 'recursive' : 'direct'
  }

  return {
    lease: (cid, holder, kind, ms) =>
      inTurn(cid, async (transaction) => {
        const pin = kind === 'releasing' ? await pinOf(transaction, cid) : undefined
        if (pin !== undefined) return pin
        const others = await othersOf(transaction, cid, holder)
        if (others.has('releasing') || (kind === 'releasing' && others.size > 0)) return 'busy'
        await transaction
          .deleteFrom('pin_leases')
          .where('cid', '=', cid)
          .where((where) => where.or([where('holder', '=', holder), where('expires_at', '<=', now)]))
          .execute()
        const expiresAt = sql<number>`${now} + ${sql.lit(ms)}`
        await transaction.insertInto('pin_leases').values({ cid, holder, kind, expires_at: expiresAt }).execute()
        return 'leased'
      }),

    async renewLease(cid, holder, ms) {
      await db
        .updateTable('pin_leases')
        .set({ expires_at: sql<number>`${now} + ${sql.lit(ms)}` })
        .where('cid', '=', cid)
        .where('holder', '=', holder)
        .execute()
    },

    endLease: (cid, holder) =>
      inTurn(cid, async (transaction) => {
        const own = await transaction
          .selectFrom('pin_leases')
          .where('cid', '=', cid)
          .where('holder', '=', holder)
          .select('kind')
          .executeTakeFirst()
        if (own === undefined) return 'lost'
        const isLastOf = async (): Promise<boolean> =>
          (await pinOf(transaction, cid)) === undefined && (await othersOf(transaction, cid, holder)).size === 0
        if (own.kind === 'pinning' && (await isLastOf())) return 'unpinned'
        await transaction.deleteFrom('pin_leases').where('cid', '=', cid).where('holder', '=', holder).execute()
        return 'ended'
      }),

    async expiredLeases(limit) {
      const rows = await db
        .selectFrom('pin_leases')
        .where('expires_at', '<=', now)
        .select('cid')
        .groupBy('cid')
        .orderBy(({ fn }) => fn.min('expires_at'))
        .limit(limit)
        .execute()
      return rows.map(({ cid }) => cid)
    },
  }
}
