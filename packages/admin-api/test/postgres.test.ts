import { afterAll, beforeAll, describe } from 'vitest'
import { routeCases } from './route-cases.ts'
import { missingPostgres, type PostgresServer, startPostgres } from './support/postgres-server.ts'

const isOptional = process.env['REQUIRE_SERVICES'] === undefined

describe.skipIf(isOptional && missingPostgres() !== undefined)('on PostgreSQL', () => {
  let server: PostgresServer
  let count = 0
  beforeAll(async () => {
    server = await startPostgres()
  }, 120_000)
  afterAll(() => server?.stop(), 60_000)

  routeCases(async () => ({ postgres: await server.createDatabase(`admin_${count++}`) }))
})
