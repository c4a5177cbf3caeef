import { describe } from 'vitest'
import { routeCases } from './route-cases.ts'
import { freshDatabase, missingPostgres } from './support/postgres-server.ts'

const isOptional = process.env['REQUIRE_SERVICES'] === undefined

describe.skipIf(isOptional && missingPostgres() !== undefined)('on PostgreSQL', () => {
  routeCases(async () => ({ postgres: await freshDatabase() }))
})
