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
