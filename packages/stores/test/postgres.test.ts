import { inspect } from 'node:util'
import { openStores, StoresError } from '@wayleave/stores'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingPostgres, password, type PostgresServer, startPostgres } from './postgres-server.ts'
import { recordOf } from './records.ts'

const isOptional = process.env['REQUIRE_SERVICES'] === undefined

/** Everything that a log could print of an error. */
async function failureOf(work: Promise<unknown>): Promise<{ readonly error: StoresError; readonly printed: string }> {
  const error: unknown = await work.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(StoresError)
  return { error: error as StoresError, printed: inspect(error, { depth: 10, showHidden: true }) }
}

it('refuses what is no URL of PostgreSQL without repeating it', async () => {
  for (const postgres of ['mysql://user:secret@host/db', 'postgres://user:secret@host:port/db', 'secret', '']) {
    const { error, printed } = await failureOf(openStores({ postgres }))
    expect(error.code).toBe('unavailable')
    expect(printed).not.toContain('secret')
  }
})

it('takes no part of a password for the host, where what it holds was not encoded', async () => {
  for (const postgres of ['user:12/secret@host/db', 'user:12?secret@host/db', 'user:12#secret@host/db']) {
    const { printed } = await failureOf(openStores({ postgres: `postgres://${postgres}` }))
    expect(printed).not.toMatch(/user:12|secret/)
  }
})

it('names the host and the database where nobody listens, and no credentials', async () => {
  const { error, printed } = await failureOf(openStores({ postgres: 'postgres://user:secret@127.0.0.1:1/db' }))
  expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('127.0.0.1:1/db') as string })
  expect(printed).not.toContain('secret')
})

describe.skipIf(isOptional && missingPostgres() !== undefined)('a server', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  }, 120_000)
  afterAll(() => server?.stop(), 60_000)

  it('that refuses the password is told without user and password', async () => {
    const url = `postgres://admin:wrong-secret@127.0.0.1:${server.port}/postgres`
    const { error, printed } = await failureOf(openStores({ postgres: url }))
    expect(error.code).toBe('unavailable')
    expect(error.message).toContain('refused the user or the password')
    expect(printed).not.toMatch(/wrong-secret|admin/)
  })

  it('without the database is told by its name', async () => {
    const url = (await server.createDatabase('here')).replace(/here$/, 'nowhere')
    const { error, printed } = await failureOf(openStores({ postgres: url }))
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('nowhere') as string })
    expect(printed).not.toContain(encodeURIComponent(password))
  })

  it('that ends a connection in the middle of a save fails the save, and the next one connects again', async () => {
    const { default: pg } = await import('pg')
    const url = await server.createDatabase('ending')
    await using stores = await openStores({ postgres: url })
    await stores.fees.save('net', recordOf(1, 10))
    const other = new pg.Client(url)
    await other.connect()
    try {
      await other.query('begin')
      await other.query('update fee_networks set head_hash = head_hash')
      const failing = failureOf(stores.fees.save('net', recordOf(2, 10)))
      const waiting = `from pg_stat_activity where datname = 'ending' and wait_event_type = 'Lock'`
      for (;;) {
        const { rowCount } = await other.query(`select pg_terminate_backend(pid) ${waiting}`)
        if (rowCount === 1) break
      }
      expect((await failing).error.code).toBe('unavailable')
    } finally {
      await other.end()
    }
    await stores.fees.save('net', recordOf(3, 10))
    expect(await stores.fees.load('net')).toEqual(recordOf(3, 10))
  })

  it('that names the user in what it refuses is not quoted', async () => {
    const { default: pg } = await import('pg')
    const url = await server.createDatabase('limited')
    const admin = new pg.Client(url)
    await admin.connect()
    await admin.query(`create role visitor login password 'secret' connection limit 0`)
    await admin.end()
    const { error, printed } = await failureOf(openStores({ postgres: url.replace(/admin:[^@]*/, 'visitor:secret') }))
    expect(error.message).toContain('53300')
    expect(printed).not.toMatch(/visitor|secret/)
  })

  it('that dies fails the calls, and not the process', async () => {
    await using other = await startPostgres()
    const stores = await openStores({ postgres: await other.createDatabase('dying') })
    await stores.fees.save('net', recordOf(1, 10))
    await other.stop()
    const { error, printed } = await failureOf(stores.fees.save('net', recordOf(2, 10)))
    expect(error.code).toBe('unavailable')
    expect(printed).not.toContain(password)
    await stores.close()
  }, 60_000)
})
