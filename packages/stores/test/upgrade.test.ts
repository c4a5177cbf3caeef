import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspectStore, migrationNames, openStores, type Stores, type StoresOptions } from '@wayleave/stores'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase, missingPostgres } from './postgres-server.ts'

// A file for each migration: its tables as they were made, and rows. They never change; a new migration adds its own.
const folder = new URL('schemas/', import.meta.url)
const steps = readdirSync(folder)
  .toSorted()
  .map((file) => ({ name: file.replace('.sql', ''), sql: readFileSync(new URL(file, folder), 'utf8') }))
const names = steps.map(({ name }) => name)

const isOptional = process.env['REQUIRE_SERVICES'] === undefined
let files: string
let count = 0

beforeAll(async () => {
  files = mkdtempSync(join(tmpdir(), 'wayleave-upgrade-'))
}, 120_000)
afterAll(async () => {
  await rm(files, { recursive: true })
}, 60_000)

const databases = {
  async SQLite(sql: string): Promise<StoresOptions> {
    const path = join(files, `${++count}.db`)
    const database = new DatabaseSync(path)
    database.exec(sql)
    database.close()
    return { sqlite: path }
  },
  async PostgreSQL(sql: string): Promise<StoresOptions> {
    const postgres = await freshDatabase()
    const { default: pg } = await import('pg')
    const client = new pg.Client(postgres)
    await client.connect()
    await client.query(sql)
    await client.end()
    return { postgres }
  },
}

/** Reads the rows of the tables that a migration made. */
const rows: Readonly<Record<string, (stores: Stores, step: number) => Promise<void>>> = {
  async '0001-fees'({ fees }, step) {
    const block = { number: 7, baseFeePerGas: 1_234_567_890n, gasUsedRatio: 0.5, rewards: [1n, 2n] }
    const record = { headHash: '0xab', percentiles: [10, 50], blocks: [block] }
    const earlier = step >= 6 && { earlier: { firstNumber: 5, baseFees: [3n, 4n] } }
    expect(await fees.load('mainnet')).toEqual({ ...record, ...earlier })
  },
  async '0002-pins'({ pins }) {
    const pin = { cid: 'QmA', type: 'recursive', name: 'a name', bytes: 5n }
    expect(await pins.list('p', { limit: 10 })).toEqual([pin])
    const moved = { storedBytes: 5n, uploadedBytes: 8n, downloadedBytes: 9n }
    expect(await pins.usage('p', '2026-11')).toEqual(moved)
  },
  async '0003-probe'(stores) {
    await stores.probe()
  },
  async '0004-accounts'({ accounts }) {
    const { seq, projects, keys } = await accounts.snapshot()
    expect([seq, projects.map(({ id }) => id), keys.map(({ id, label }) => [id, label])]).toEqual([
      2,
      ['shop'],
      [['k1', 'till']],
    ])
    expect((await accounts.changes(0, 10))?.map(({ kind }) => kind)).toEqual(['project', 'key'])
    expect((await accounts.lastUsed(['k1'])).get('k1')).toBe(1_793_000_000_001)
    expect((await accounts.audit({ limit: 10 })).map(({ action }) => action)).toEqual(['key.create', 'project.create'])
  },
  async '0005-usage'({ usage }) {
    const range = { from: 0, to: 2e12, by: ['method'], limit: 10 } as const
    expect(await usage.query({ period: 'day', ...range })).toEqual([{ method: 'eth_call', calls: 3, credits: 240 }])
    expect(await usage.lastSeq('a')).toBe(1)
  },
  async '0006-base-fees'() {
    // They are read with the fees.
  },
  async '0007-filters'({ filters }) {
    expect(await filters.get('mainnet', '0x1')).toMatchObject({ kind: 'logs', cursor: { number: 7 }, revision: 0 })
  },
  async '0008-pin-store'({ pins }) {
    expect(await pins.bindStore('another store')).toBe('a store')
  },
  async '0009-pin-leases'({ pins }) {
    expect(await pins.expiredLeases(10)).toEqual(['QmLeased'])
  },
  async '0010-plan-names'({ accounts }) {
    expect((await accounts.project('shop'))?.plan).toBe('growth')
  },
  async '0011-jwt-leeway'({ accounts }) {
    expect(await accounts.project('shop')).toMatchObject({ jwtLeewayMs: 5_000 })
  },
}

it('has the schema and the rows of each migration', () => {
  expect(names).toEqual(migrationNames)
  expect(Object.keys(rows)).toEqual(migrationNames)
})

it('has them as the migrations make them', async () => {
  const made = join(files, 'made.db')
  await (await openStores({ sqlite: made })).close()
  const written = await databases.SQLite(steps.map(({ sql }) => sql).join(''))
  expect(schemaOf((written as { readonly sqlite: string }).sqlite)).toEqual(schemaOf(made))
})

for (const kind of ['SQLite', 'PostgreSQL'] as const) {
  describe.skipIf(kind === 'PostgreSQL' && isOptional && missingPostgres() !== undefined)(kind, () => {
    it.each(names.map((name, i) => ({ name, step: i + 1 })))(
      'a database of $name is brought up to date with all that is in it',
      async ({ step }) => {
        const options = await databases[kind](
          steps
            .slice(0, step)
            .map(({ sql }) => sql)
            .join(''),
        )
        const before = { applied: names.slice(0, step), pending: names.slice(step), newer: [], exists: true }
        expect(await inspectStore(options)).toMatchObject(before)
        for (const _ of ['migrates', 'finds it migrated']) {
          await using stores = await openStores(options)
          for (const name of names.slice(0, step)) await rows[name]!(stores, step)
          await stores.probe()
        }
        expect(await inspectStore(options)).toMatchObject({ applied: names, pending: [] })
      },
    )
  })
}

/** The tables of a file with their columns, and its indices. */
function schemaOf(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true })
  const tables = database
    .prepare(`select name, type from sqlite_master where name not like 'sqlite_%' order by name`)
    .all()
  const schema = tables.map(({ name, type }) => [
    { name, type },
    database.prepare(`pragma ${type === 'index' ? 'index_info' : 'table_info'}('${String(name)}')`).all(),
  ])
  database.close()
  return schema
}
