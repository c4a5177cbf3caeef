import { type AccountChange, openStores } from '@wayleave/stores'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingPostgres, type PostgresServer, startPostgres } from './postgres-server.ts'

const isOptional = process.env['REQUIRE_SERVICES'] === undefined
const by = { actor: 'ops', at: 1 }
const idOf = (change: AccountChange): string => (change.kind === 'project' ? change.project.id : change.kind)
/** So long that only a notice can be the reason for a read. */
const never = 1e8

describe.skipIf(isOptional && missingPostgres() !== undefined)('the account feed on PostgreSQL', () => {
  let server: PostgresServer
  let databases = 0
  beforeAll(async () => {
    server = await startPostgres()
  }, 120_000)
  afterAll(() => server?.stop(), 60_000)

  const fresh = () => server.createDatabase(`feed${++databases}`)

  it('skips no change that commits late', async () => {
    const postgres = await fresh()
    await using stores = await openStores({ postgres })
    const other = new pg.Client(postgres)
    await other.connect()
    try {
      await other.query('begin')
      const { rows } = await other.query('update account_feed set seq = seq + 1 returning seq')
      await other.query(`insert into account_changes values ($1, 'plan', 'slow', null)`, [rows[0].seq])
      let isMade = false
      const making = stores.accounts.createProject({ id: 'fast', name: 'fast' }, by).then(() => (isMade = true))
      const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await expect.poll(async () => (await other.query(waiting)).rowCount).toBe(1)
      expect(await stores.accounts.changes(0, 10)).toEqual([])
      expect(isMade).toBe(false)
      await other.query('commit')
      await making
    } finally {
      await other.end()
    }
    const changes = await stores.accounts.changes(0, 10)
    expect(changes).toMatchObject([
      { seq: 1, kind: 'plan_removed', planId: 'slow' },
      { seq: 2, project: { id: 'fast' } },
    ])
  })

  it('gives a number that was rolled back again', async () => {
    await using stores = await openStores({ postgres: await fresh() })
    await expect(stores.accounts.removeProject('none', by)).rejects.toMatchObject({ code: 'not_found' })
    await stores.accounts.createProject({ id: 'a', name: 'a' }, by)
    expect(await stores.accounts.changes(0, 10)).toMatchObject([{ seq: 1 }])
  })

  it('is read at each notice, also after the connection of notices was ended', async () => {
    const postgres = await fresh()
    await using one = await openStores({ postgres })
    await using two = await openStores({ postgres })
    const reported: string[] = []
    await using follower = two.accounts.follow({
      everyMs: never,
      onSnapshot: () => {},
      onChange: (change) => reported.push(idOf(change)),
    })
    await expect.poll(() => follower.seq).toBe(0)
    await one.accounts.createProject({ id: 'a', name: 'a' }, by)
    await expect.poll(() => reported).toEqual(['a'])
    const admin = new pg.Client(postgres)
    await admin.connect()
    try {
      const ended = await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen wayleave_accounts'`,
      )
      expect(ended.rowCount).toBe(1)
    } finally {
      await admin.end()
    }
    await one.accounts.createProject({ id: 'b', name: 'b' }, by)
    await expect.poll(() => reported).toEqual(['a', 'b'])
  })

  it('goes on where it was after the server was away, and tells for how long nothing was read', async () => {
    const postgres = await fresh()
    await using one = await openStores({ postgres })
    await one.accounts.createProject({ id: 'a', name: 'a' }, by)
    const reported: string[] = []
    const failures: (string | undefined)[] = []
    let snapshots = 0
    await using follower = one.accounts.follow({
      everyMs: 10,
      onSnapshot: () => snapshots++,
      onChange: (change) => reported.push(idOf(change)),
      onFailure: (error) => failures.push(error?.fault),
    })
    await expect.poll(() => follower.seq).toBe(1)
    await server.restart(async () => {
      await expect.poll(() => failures).toEqual(['unreachable'])
      const before = follower.staleMs()!
      await expect.poll(() => follower.staleMs()!).toBeGreaterThan(before)
    })
    await expect.poll(() => failures).toEqual(['unreachable', undefined])
    await one.accounts.createProject({ id: 'b', name: 'b' }, by)
    await expect.poll(() => reported).toEqual(['b'])
    expect(snapshots).toBe(1)
  }, 90_000)
})
