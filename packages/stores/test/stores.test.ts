import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BaseFeeRun, type FeeRecord, openStores, type StoresOptions } from '@wayleave/stores'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountCases } from './account-cases.ts'
import { filterCases } from './filter-cases.ts'
import { pinCases } from './pin-cases.ts'
import { freshDatabase, missingPostgres } from './postgres-server.ts'
import { recordOf } from './records.ts'
import { usageCases } from './usage-cases.ts'

const isOptional = process.env['REQUIRE_SERVICES'] === undefined

let folder: string
let databases = 0

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'wayleave-stores-'))
}, 120_000)
afterAll(async () => {
  await rm(folder, { recursive: true })
}, 60_000)

const fresh = {
  SQLite: async (): Promise<StoresOptions> => ({ sqlite: join(folder, `${++databases}.db`) }),
  PostgreSQL: async (): Promise<StoresOptions> => ({ postgres: await freshDatabase() }),
}

/** Opens the same database in a process of its own, saves, and ends. */
async function saveElsewhere(options: StoresOptions, network: string): Promise<void> {
  const child: ChildProcess = spawn(
    process.execPath,
    [
      '--conditions=@wayleave/source',
      fileURLToPath(new URL('saver.ts', import.meta.url)),
      JSON.stringify(options),
      network,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text))
  const [status] = (await once(child, 'close')) as [number | null]
  if (status !== 0) throw new Error(`the process ended with ${status}: ${said}`)
}

for (const kind of ['SQLite', 'PostgreSQL'] as const) {
  describe.skipIf(kind === 'PostgreSQL' && isOptional && missingPostgres() !== undefined)(kind, () => {
    it('gives back after a restart what was saved, exactly', async () => {
      const options = await fresh[kind]()
      const record = recordOf(23_597_734, 500)
      {
        await using stores = await openStores(options)
        expect(await stores.fees.load('mainnet')).toBeUndefined()
        await stores.fees.save('mainnet', record)
      }
      await using stores = await openStores(options)
      expect(await stores.fees.load('mainnet')).toEqual(record)
      expect(await stores.fees.load('sepolia')).toBeUndefined()
    })

    it('replaces a record as a whole, and leaves other networks alone', async () => {
      await using stores = await openStores(await fresh[kind]())
      const other = recordOf(7, 3)
      await stores.fees.save('other', other)
      const records = [
        recordOf(100, 50),
        recordOf(110, 50),
        recordOf(105, 20, 3n),
        recordOf(9_000_000_000, 2),
        recordOf(0, 1),
      ]
      for (const record of records) {
        await stores.fees.save('net', record)
        expect(await stores.fees.load('net')).toEqual(record)
      }
      expect(await stores.fees.load('other')).toEqual(other)
    })

    it('holds records of more blocks than a statement takes', async () => {
      await using stores = await openStores(await fresh[kind]())
      const record = recordOf(1, 2_500)
      await stores.fees.save('net', record)
      expect(await stores.fees.load('net')).toEqual(record)
    })

    it('keeps the base fees before the blocks, and replaces them with these', async () => {
      const options = await fresh[kind]()
      const record = recordOf(25_300, 500)
      const earlier = (first: number, fee: bigint): BaseFeeRun => ({
        firstNumber: first,
        baseFees: Array.from({ length: 25_300 - first }, (_, i) => fee + BigInt(first + i)),
      })
      const records: readonly FeeRecord[] = [
        { ...record, earlier: earlier(25_299, 1n) },
        { ...record, earlier: earlier(5_800, 1n) },
        { ...record, earlier: earlier(5_800, 2n ** 100n) },
        { ...record, earlier: earlier(24_000, 7n) },
        record,
      ]
      await using stores = await openStores(options)
      await stores.fees.save('other', records[0]!)
      for (const each of records) {
        await stores.fees.save('net', each)
        expect(await stores.fees.load('net')).toEqual(each)
      }
      expect(await stores.fees.load('other')).toEqual(records[0])
    })

    it('grows base fees by what leaves the blocks', async () => {
      await using stores = await openStores(await fresh[kind]())
      for (let first = 990; first < 1_020; first += 7) {
        const baseFees = Array.from({ length: first - 900 }, (_, i) => BigInt(i))
        const record = { ...recordOf(first, 50), earlier: { firstNumber: 900, baseFees } }
        await stores.fees.save('net', record)
        expect(await stores.fees.load('net')).toEqual(record)
      }
    })

    it('is brought up to date once by processes that start at once', async () => {
      const options = await fresh[kind]()
      const opened = await Promise.all([
        openStores(options),
        openStores(options),
        ...['a', 'b', 'b', 'a', 'c'].map((network) => saveElsewhere(options, network)),
      ])
      const [one, two] = opened
      expect(await one.fees.load('a')).toEqual(recordOf(1, 500))
      expect(await two.fees.load('b')).toEqual(recordOf(1, 500))
      await Promise.all([one.close(), two.close()])
    })

    it('keeps one whole record where several save the same network at once', async () => {
      const options = await fresh[kind]()
      const stores = await Promise.all([openStores(options), openStores(options)])
      const records = [1n, 2n, 3n, 4n].map((seed, i) => recordOf(i * 10, 60, seed))
      await Promise.all(records.map((record, i) => stores[i % 2]!.fees.save('net', record)))
      const kept = await stores[0].fees.load('net')
      expect(records).toContainEqual(kept)
      await Promise.all(stores.map((each) => each.close()))
    })

    it('refuses a database that a newer version has changed', async () => {
      const options = await fresh[kind]()
      await (await openStores(options)).close()
      await execute(
        options,
        `insert into wayleave_migrations (name, timestamp) values ('9999-later', '2099-01-01T00:00:00.000Z')`,
      )
      await expect(openStores(options)).rejects.toMatchObject({
        name: 'StoresError',
        code: 'newer_version',
        message: expect.stringContaining('migration "9999-later"') as string,
      })
    })

    it('says that a row is not what was written', async () => {
      const options = await fresh[kind]()
      await using stores = await openStores(options)
      await stores.fees.save('net', recordOf(1, 2))
      for (const written of ['1.5', '', '-1', '0x1']) {
        await execute(options, `update fee_blocks set base_fee_per_gas = '${written}' where number = 2`)
        await expect(stores.fees.load('net')).rejects.toMatchObject({ code: 'corrupt' })
      }
      await stores.fees.save('net', { ...recordOf(3, 2), earlier: { firstNumber: 1, baseFees: [5n, 6n] } })
      for (const written of ['5', '5 x', '']) {
        await execute(options, `update fee_base_fees set base_fees = '${written}'`)
        await expect(stores.fees.load('net')).rejects.toMatchObject({ code: 'corrupt' })
      }
    })

    pinCases(fresh[kind], execute)
    accountCases(fresh[kind], execute)
    usageCases(fresh[kind], execute)
    filterCases(fresh[kind], execute)

    it('finishes what is being written before it closes, and takes nothing after', async () => {
      const options = await fresh[kind]()
      const stores = await openStores(options)
      const saving = stores.fees.save('net', recordOf(1, 500))
      await Promise.all([stores.close(), stores.close()])
      await saving
      await expect(stores.fees.load('net')).rejects.toMatchObject({ code: 'closed' })
      await using again = await openStores(options)
      expect(await again.fees.load('net')).toEqual(recordOf(1, 500))
    })
  })
}

/** Runs a statement past the stores. */
async function execute(options: StoresOptions, statement: string): Promise<void> {
  if ('sqlite' in options) {
    const { DatabaseSync } = await import('node:sqlite')
    const db = new DatabaseSync(options.sqlite)
    db.exec(statement)
    return db.close()
  }
  const { default: pg } = await import('pg')
  const client = new pg.Client(options.postgres)
  await client.connect()
  await client.query(statement)
  await client.end()
}
