import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspectRedis, inspectStore, migrationNames, openStores } from '@wayleave/stores'
import { expect, it, onTestFinished } from 'vitest'
import { missingPostgres, startPostgres } from '../postgres-server.ts'
import { missingRedis, startRedis } from '../redis-server.ts'

const isOptional = process.env['REQUIRE_SERVICES'] === undefined

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'wayleave-inspect-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

it('reads an SQLite file, open or not, and leaves every byte of its folder as it was', async () => {
  const dir = folder()
  const sqlite = join(dir, 'a.db')
  expect(await inspectStore({ sqlite })).toMatchObject({
    exists: false,
    applied: [],
    pending: migrationNames,
    bytes: 0,
  })
  expect(readdirSync(dir)).toEqual([])
  const stores = await openStores({ sqlite })
  const seen = {
    exists: true,
    applied: migrationNames,
    pending: [],
    newer: [],
    freeBytes: expect.any(Number) as number,
  }
  expect(await inspectStore({ sqlite })).toMatchObject(seen)
  await stores.probe()
  await stores.close()
  const before = readdirSync(dir).map((name) => [name, readFileSync(join(dir, name)).toString('base64')])
  expect(await inspectStore({ sqlite })).toMatchObject(seen)
  expect(readdirSync(dir).map((name) => [name, readFileSync(join(dir, name)).toString('base64')])).toEqual(before)
})

it('names what is no database', async () => {
  const sqlite = join(folder(), 'letter.db')
  writeFileSync(sqlite, 'Dear reader, this is a letter and no database. '.repeat(100))
  await expect(inspectStore({ sqlite })).rejects.toMatchObject({ code: 'corrupt', fault: 'damaged' })
})

it('leaves nothing in a PostgreSQL, and gives up on a silent one', { timeout: 60_000 }, async ({ skip }) => {
  if (isOptional && missingPostgres() !== undefined) return skip(missingPostgres())
  await using server = await startPostgres()
  const postgres = await server.createDatabase('one')
  const connections = { max: expect.any(Number) as number, open: expect.any(Number) as number }
  for (const pending of [migrationNames, []]) {
    expect(await inspectStore({ postgres })).toMatchObject({ pending, newer: [], connections })
    const { default: pg } = await import('pg')
    const client = new pg.Client(postgres)
    await client.connect()
    const { rows } = await client.query(
      `select 1 from pg_tables where tablename like '%probe' and tablename like 'wayleave%'`,
    )
    await client.end()
    expect(rows).toEqual([])
    await (await openStores({ postgres })).close()
  }
  await server.freeze(async () => {
    await expect(inspectStore({ postgres })).rejects.toMatchObject({ code: 'unavailable', fault: 'silent' })
  })
})

it('reads the policy of a Redis, and gives up on a silent one', { timeout: 30_000 }, async ({ skip }) => {
  if (isOptional && missingRedis() !== undefined) return skip(missingRedis())
  await using server = await startRedis('--maxmemory', '64mb', '--maxmemory-policy', 'allkeys-lfu')
  const seen = {
    evictionPolicy: 'allkeys-lfu',
    maxMemoryBytes: 64 * 1_048_576,
    version: expect.stringMatching(/^\d+\./) as string,
  }
  expect(await inspectRedis(server.url)).toMatchObject(seen)
  await server.freeze(async () => {
    await expect(inspectRedis(server.url)).rejects.toMatchObject({ code: 'unavailable' })
  })
  const failed = inspectRedis('redis://:a-password@127.0.0.1:1')
  await expect(failed).rejects.toMatchObject({ code: 'unavailable', fault: 'unreachable' })
  await expect(failed).rejects.not.toMatchObject({ message: expect.stringContaining('a-password') as string })
})
