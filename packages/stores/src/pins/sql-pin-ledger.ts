import type { Pin, PinLedger } from '@wayleave/ipfs-http/server'
import { type Kysely, sql, type Transaction } from 'kysely'
import { durably } from '../durable.ts'
import { StoresError } from '../error.ts'
import { createPinLeases } from './pin-leases.ts'

/** The tables of `migrations/pins.ts`, as the newest migration leaves them. Bytes are written as decimal digits, and read cast to text. */
type PinTables = {
  /** One row a project. Changes of the project's pins take turns on it. */
  readonly pin_projects: {
    readonly project: string
    /** The sum over its pins. */
    readonly stored_bytes: string
  }
  readonly pins: PinRow & { readonly project: string }
  /** One row a project and month. */
  readonly pin_transfers: {
    readonly project: string
    /** `2026-11`. */
    readonly month: string
    readonly uploaded_bytes: string
    readonly downloaded_bytes: string
  }
  /** One row at most: the store that keeps the blocks, once there is one. */
  readonly pin_store: { readonly slot: number; readonly store: string }
}

interface PinRow {
  readonly cid: string
  readonly type: string
  readonly name: string | null
  readonly bytes: string
}

/** Keeps the pin ledger in SQL that both databases understand. */
export function createSqlPinLedger(database: Kysely<object>, dialect: 'sqlite' | 'postgres'): PinLedger {
  const db = database.$extendTables<PinTables>()

  /** Pins that were acknowledged must survive a power cut, unlike the rest of the SQLite file. */
  const change = <T>(work: (transaction: Transaction<PinTables>) => Promise<T>): Promise<T> =>
    durably(db, dialect, work)

  return {
    ...createPinLeases(database, dialect),
    put: (project, pin, { maxStoredBytes } = {}) =>
      change(async (transaction) => {
        const stored = await lockedBytes(transaction, project)
        const before = await readPin(transaction, project, pin.cid)
        const after = stored + pin.bytes - (before?.bytes ?? 0n)
        if (isBeyond(after, stored, maxStoredBytes)) return 'quota'
        await writePin(transaction, project, pin)
        await writeBytes(transaction, project, after)
        return 'put'
      }),

    get: (project, cid) => readPin(db, project, cid),

    isPinned: (cid) => isPinned(db, cid),

    async holders(cid, limit) {
      const rows = await db
        .selectFrom('pins')
        .where('cid', '=', cid)
        .select('project')
        .orderBy('project')
        .limit(limit)
        .execute()
      return rows.map(({ project }) => project)
    },

    remove: (project, cid) =>
      change(async (transaction) => {
        const stored = await lockedBytes(transaction, project)
        const pin = await readPin(transaction, project, cid)
        if (pin === undefined) return false
        await deletePin(transaction, project, cid)
        await writeBytes(transaction, project, stored - pin.bytes)
        return true
      }),

    replace: (project, from, to, { keep = false, maxStoredBytes } = {}) =>
      change(async (transaction) => {
        const stored = await lockedBytes(transaction, project)
        const old = await readPin(transaction, project, from)
        if (old === undefined) return undefined
        const before = from === to.cid ? old : await readPin(transaction, project, to.cid)
        const removes = !keep && from !== to.cid
        const after = stored + to.bytes - (before?.bytes ?? 0n) - (removes ? old.bytes : 0n)
        if (isBeyond(after, stored, maxStoredBytes)) return 'quota'
        await writePin(transaction, project, to)
        if (removes) await deletePin(transaction, project, from)
        await writeBytes(transaction, project, after)
        return 'replaced'
      }),

    async list(project, { after, limit }) {
      const rows = await db
        .selectFrom('pins')
        .where('project', '=', project)
        .$if(after !== undefined, (query) => query.where('cid', '>', after!))
        .select(pinColumns)
        .orderBy('cid')
        .limit(limit)
        .execute()
      return rows.map(pinOf)
    },

    async roots({ after, limit }) {
      const rows = await db
        .selectFrom('pins')
        .$if(after !== undefined, (query) => query.where('cid', '>', after!))
        // "recursive" sorts after "direct".
        .select(({ fn }) => ['cid', fn.max('type').as('type')])
        .groupBy('cid')
        .orderBy('cid')
        .limit(limit)
        .execute()
      return rows.map(({ cid, type }) => ({ cid, recursive: type === 'recursive' }))
    },

    async charge(project, month, { uploadedBytes = 0n, downloadedBytes = 0n }) {
      await db
        .insertInto('pin_transfers')
        .values({ project, month, uploaded_bytes: String(uploadedBytes), downloaded_bytes: String(downloadedBytes) })
        .onConflict((conflict) =>
          conflict.columns(['project', 'month']).doUpdateSet({
            uploaded_bytes: sql<string>`pin_transfers.uploaded_bytes + excluded.uploaded_bytes`,
            downloaded_bytes: sql<string>`pin_transfers.downloaded_bytes + excluded.downloaded_bytes`,
          }),
        )
        .execute()
    },

    async usage(project, month) {
      const [stored, moved] = await Promise.all([
        db
          .selectFrom('pin_projects')
          .where('project', '=', project)
          .select(sql<string>`cast(stored_bytes as text)`.as('bytes'))
          .executeTakeFirst(),
        db
          .selectFrom('pin_transfers')
          .where('project', '=', project)
          .where('month', '=', month)
          .select([
            sql<string>`cast(uploaded_bytes as text)`.as('uploaded'),
            sql<string>`cast(downloaded_bytes as text)`.as('downloaded'),
          ])
          .executeTakeFirst(),
      ])
      return {
        storedBytes: BigInt(stored?.bytes ?? 0),
        uploadedBytes: BigInt(moved?.uploaded ?? 0),
        downloadedBytes: BigInt(moved?.downloaded ?? 0),
      }
    },

    bindStore: (store) =>
      change(async (transaction) => {
        await transaction
          .insertInto('pin_store')
          .values({ slot: 1, store })
          .onConflict((conflict) => conflict.column('slot').doNothing())
          .execute()
        return (await transaction.selectFrom('pin_store').select('store').executeTakeFirstOrThrow()).store
      }),
  }
}

/** Reads how many bytes a project stores. Changes of its pins wait here for one another: PostgreSQL locks the row. */
async function lockedBytes(transaction: Transaction<PinTables>, project: string): Promise<bigint> {
  const { bytes } = await transaction
    .insertInto('pin_projects')
    .values({ project, stored_bytes: '0' })
    .onConflict((conflict) =>
      conflict.column('project').doUpdateSet({ stored_bytes: sql<string>`pin_projects.stored_bytes` }),
    )
    .returning(sql<string>`cast(stored_bytes as text)`.as('bytes'))
    .executeTakeFirstOrThrow()
  return BigInt(bytes)
}

/** Whether a change passes the bound. After the bound was lowered, a pin may still be replaced by one that is no larger. */
function isBeyond(after: bigint, before: bigint, most: bigint | undefined): boolean {
  return most !== undefined && after > most && after > before
}

async function writeBytes(transaction: Transaction<PinTables>, project: string, bytes: bigint): Promise<void> {
  await transaction
    .updateTable('pin_projects')
    .set({ stored_bytes: String(bytes) })
    .where('project', '=', project)
    .execute()
}

async function writePin(transaction: Transaction<PinTables>, project: string, pin: Pin): Promise<void> {
  const { cid, type, name = null } = pin
  const row = { type, name, bytes: String(pin.bytes) }
  await transaction
    .insertInto('pins')
    .values({ project, cid, ...row })
    .onConflict((conflict) => conflict.columns(['project', 'cid']).doUpdateSet(row))
    .execute()
}

async function deletePin(transaction: Transaction<PinTables>, project: string, cid: string): Promise<void> {
  await transaction.deleteFrom('pins').where('project', '=', project).where('cid', '=', cid).execute()
}

async function readPin(db: Kysely<PinTables>, project: string, cid: string): Promise<Pin | undefined> {
  const row = await db
    .selectFrom('pins')
    .where('project', '=', project)
    .where('cid', '=', cid)
    .select(pinColumns)
    .executeTakeFirst()
  return row === undefined ? undefined : pinOf(row)
}

async function isPinned(db: Kysely<PinTables>, cid: string): Promise<boolean> {
  return (await db.selectFrom('pins').where('cid', '=', cid).select('cid').limit(1).executeTakeFirst()) !== undefined
}

/** Bytes are cast to text because SQLite refuses to read integers beyond 2^53. */
const pinColumns = ['cid', 'type', 'name', sql<string>`cast(bytes as text)`.as('bytes')] as const

function pinOf({ cid, type, name, bytes }: PinRow): Pin {
  if (type !== 'recursive' && type !== 'direct') {
    throw new StoresError(
      'corrupt',
      `the pin of ${cid} is not what was written: its type is neither recursive nor direct`,
    )
  }
  return { cid, type, name: name ?? undefined, bytes: BigInt(bytes) }
}
