import { randomBytes } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openStores, type Stores } from '@wayleave/stores'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { missingPostgres, type PostgresServer, startPostgres } from './postgres-server.ts'
import { filesIn } from './files-in.ts'

const isOptional = process.env['REQUIRE_SERVICES'] === undefined

const pin = (cid: string) => ({ cid, type: 'recursive' as const, name: undefined, bytes: 1n })
const cidsOf = async ({ pins }: Stores): Promise<readonly string[]> =>
  (await pins.list('p', { limit: 100 })).map(({ cid }) => cid)

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'wayleave-faults-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** An open file with one pin that was acknowledged. */
async function openWithPin(folder = newFolder()) {
  const sqlite = join(folder, 'stores.db')
  const stores = await openStores({ sqlite })
  onTestFinished(() => stores.close())
  await stores.probe()
  await stores.pins.put('p', pin('before'))
  return { folder, sqlite, stores }
}

/** Every call and the probe fail with this fault. */
async function expectGone(stores: Stores, fault: string): Promise<void> {
  const gone = { name: 'StoresError', code: 'unavailable', fault }
  await expect(stores.pins.put('p', pin('while'))).rejects.toMatchObject(gone)
  await expect(stores.pins.get('p', 'before')).rejects.toMatchObject(gone)
  await expect(stores.probe()).rejects.toMatchObject(gone)
}

async function expectWhole(stores: Stores, sqlite: string): Promise<void> {
  await stores.probe()
  await stores.pins.put('p', pin('later'))
  expect(await cidsOf(stores)).toEqual(['before', 'later'])
  await stores.close()
  await using again = await openStores({ sqlite })
  expect(await cidsOf(again)).toEqual(['before', 'later'])
}

describe('an SQLite file', () => {
  it('that was deleted fails calls, and the next probe puts it back with all that was acknowledged', async () => {
    const { sqlite, stores, folder } = await openWithPin()
    unlinkSync(sqlite)
    await expectGone(stores, 'deleted')
    await expectWhole(stores, sqlite)
    expect(filesIn(folder)).toEqual(['stores.db'])
  })

  it('that was deleted with its log is put back, too', async () => {
    const { sqlite, stores, folder } = await openWithPin()
    for (const name of readdirSync(folder)) unlinkSync(join(folder, name))
    await expectGone(stores, 'deleted')
    await expectWhole(stores, sqlite)
  })

  it('whose folder was deleted is put back when there is a folder again', async () => {
    const { folder, sqlite, stores } = await openWithPin(join(newFolder(), '.'))
    const away = `${folder}-away`
    onTestFinished(() => rmSync(away, { recursive: true, force: true }))
    renameSync(folder, away)
    await expectGone(stores, 'deleted')
    await expect(stores.probe()).rejects.toMatchObject({ fault: 'deleted' })
    renameSync(away, folder)
    await expectWhole(stores, sqlite)
  })

  it('that was deleted is saved by a close, too', async () => {
    const { sqlite, stores } = await openWithPin()
    unlinkSync(sqlite)
    await stores.close()
    await using again = await openStores({ sqlite })
    expect(await cidsOf(again)).toEqual(['before'])
  })

  it('that was replaced is left as it is; a copy of what was acknowledged lies beside it', async () => {
    const { folder, sqlite, stores } = await openWithPin()
    const stranger = join(folder, 'stranger')
    writeFileSync(stranger, 'not yours')
    renameSync(stranger, sqlite)
    await expectGone(stores, 'replaced')
    const copy = `${sqlite}.rescued-1`
    await expect(stores.probe()).rejects.toThrow(
      `another file stands in its place; all that was acknowledged is in ${copy}`,
    )
    await expect(stores.probe()).rejects.toMatchObject({ fault: 'replaced' })
    expect(statSync(sqlite).size).toBe('not yours'.length)
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    const reader = new DatabaseSync(copy, { readOnly: true })
    expect(reader.prepare('select cid from pins').all()).toEqual([{ cid: 'before' }])
    reader.close()
    // With the other file gone, the copy takes its place.
    unlinkSync(sqlite)
    await expectWhole(stores, sqlite)
    expect(filesIn(folder)).toEqual(['stores.db'])
  })

  describe('that was overwritten', () => {
    /** Another database, bigger or smaller. */
    async function stranger(folder: string, pins: number): Promise<string> {
      const sqlite = join(folder, 'stranger')
      await using other = await openStores({ sqlite })
      await other.probe()
      for (let i = 0; i < pins; i++) await other.pins.put('p', pin(`strange-${i}`.padEnd(3_000, '-')))
      return sqlite
    }

    it.each([
      ['a longer database', (folder: string) => stranger(folder, 400)],
      ['a shorter one', (folder: string) => stranger(folder, 0)],
      [
        'an earlier state of itself',
        async (_: string, sqlite: string, stores: Stores) => {
          const backup = `${sqlite}.backup`
          cpSync(sqlite, backup)
          for (let i = 0; i < 800; i++) {
            if (i % 100 === 0) await stores.probe()
            await stores.pins.put('p', pin(`later-${i}`.padEnd(3_000, '-')))
          }
          return backup
        },
      ],
    ])('by %s fails calls, and is left as it is, also by a close', async (_, make) => {
      const { folder, sqlite, stores } = await openWithPin()
      const other = await make(folder, sqlite, stores)
      execFileSync('cp', [other, sqlite])
      await expectGone(stores, 'overwritten')
      await stores.close()
      expect(readFileSync(sqlite).equals(readFileSync(other))).toBe(true)
      await using again = await openStores({ sqlite })
      await again.probe()
    })

    it('by no database fails calls, too', async () => {
      const { sqlite, stores } = await openWithPin()
      writeFileSync(sqlite, 'not yours'.repeat(100_000))
      await expectGone(stores, 'overwritten')
    })

    it('is another thing than a checkpoint, a vacuum or another process that writes', async () => {
      const { sqlite, stores } = await openWithPin()
      await using other = await openStores({ sqlite })
      for (let i = 0; i < 400; i++) await other.pins.put('p', pin(`later-${i}`.padEnd(3_000, '-')))
      await other.probe()
      await stores.probe()
      const program = new DatabaseSync(sqlite)
      program.exec('delete from pins; pragma wal_checkpoint(truncate); vacuum; pragma wal_checkpoint(truncate)')
      program.close()
      // A file that got shorter is looked at by the probe after.
      await stores.probe().catch(() => {})
      await stores.probe()
      await stores.pins.put('p', pin('last'))
      expect(await cidsOf(stores)).toEqual(['last'])
    })
  })

  it('that was replaced is put back from a new copy, if somebody took the first one away', async () => {
    const { folder, sqlite, stores } = await openWithPin()
    const stranger = join(folder, 'stranger')
    writeFileSync(stranger, 'not yours')
    renameSync(stranger, sqlite)
    await expectGone(stores, 'replaced')
    unlinkSync(`${sqlite}.rescued-1`)
    await expect(stores.probe()).rejects.toThrow(`${sqlite}.rescued-1`)
    expect(existsSync(`${sqlite}.rescued-1`)).toBe(true)
    unlinkSync(`${sqlite}.rescued-1`)
    unlinkSync(sqlite)
    await expectWhole(stores, sqlite)
    expect(filesIn(folder)).toEqual(['stores.db'])
  })

  it('that replaced it is opened whole by the next process: no log of ours is left for it to play', async () => {
    const { folder, sqlite, stores } = await openWithPin()
    const stranger = join(folder, 'stranger')
    {
      await using others = await openStores({ sqlite: stranger })
      for (let i = 0; i < 50; i++) await others.pins.put('p', pin(`other-${i}`))
    }
    renameSync(stranger, sqlite)
    await stores.close()
    expect(filesIn(folder).toSorted()).toEqual(['stores.db', 'stores.db.rescued-1'])
    await using again = await openStores({ sqlite })
    expect(await cidsOf(again)).toHaveLength(50)
  })

  it('that was moved away and comes back works again', async () => {
    const { folder, sqlite, stores } = await openWithPin()
    const away = join(folder, 'away')
    renameSync(sqlite, away)
    writeFileSync(sqlite, 'not yours')
    await expectGone(stores, 'replaced')
    await expect(stores.probe()).rejects.toMatchObject({ fault: 'replaced' })
    renameSync(away, sqlite)
    await expectWhole(stores, sqlite)
    expect(filesIn(folder)).toEqual(['stores.db'])
  })

  it('that was truncated is mended from what its connection holds', async () => {
    const { sqlite, stores } = await openWithPin()
    truncateSync(sqlite, 0)
    await expectGone(stores, 'truncated')
    await expectWhole(stores, sqlite)
  })

  it('that was truncated beyond what its connection holds stays out of use, and is not overwritten', async () => {
    const { folder, sqlite, stores } = await openWithPin()
    const other = new DatabaseSync(sqlite)
    // Five megabytes are more than the cache of a connection, and none of them is left in the log.
    other.exec('create table big (a); insert into big values (randomblob(5000000)); pragma wal_checkpoint(truncate)')
    other.close()
    await stores.probe().catch(() => {})
    await stores.probe()
    truncateSync(sqlite, 8_192)
    for (let i = 0; i < 3; i++) await expect(stores.probe()).rejects.toMatchObject({ fault: 'truncated' })
    await expectGone(stores, 'truncated')
    expect(statSync(sqlite).size).toBe(8_192)
    expect(filesIn(folder).filter((name) => name.includes('rescued'))).toEqual([])
  })

  it('that somebody else made smaller in earnest goes on', async () => {
    const { sqlite, stores } = await openWithPin()
    const other = new DatabaseSync(sqlite)
    other.exec('create table big (a); pragma wal_checkpoint(truncate)')
    other.exec(`insert into big values (zeroblob(1000000)); pragma wal_checkpoint(truncate)`)
    await stores.probe().catch(() => {})
    await stores.probe()
    const before = statSync(sqlite).size
    other.exec('drop table big; vacuum; pragma wal_checkpoint(truncate)')
    other.close()
    expect(statSync(sqlite).size).toBeLessThan(before)
    await expect(stores.probe()).rejects.toMatchObject({ fault: 'truncated' })
    const { ino } = statSync(sqlite)
    await expectWhole(stores, sqlite)
    expect(statSync(sqlite).ino).toBe(ino)
  })

  it.each(['-wal', '-shm'])('whose %s was deleted is mended', async (suffix) => {
    const { sqlite, stores } = await openWithPin()
    unlinkSync(sqlite + suffix)
    await expectGone(stores, 'log_deleted')
    await expectWhole(stores, sqlite)
  })

  it('that was made read-only fails calls until it is writable again', async () => {
    const { sqlite, stores } = await openWithPin()
    chmodSync(sqlite, 0o400)
    await expectGone(stores, 'read_only')
    await expect(stores.probe()).rejects.toMatchObject({ fault: 'read_only' })
    chmodSync(sqlite, 0o600)
    await expectWhole(stores, sqlite)
  })

  it('is its user’s alone, with its log, and so is one that was open to others before, which is told', async () => {
    const { sqlite, stores } = await openWithPin()
    const modes = (): readonly number[] => ['', '-wal', '-shm'].map((suffix) => statSync(sqlite + suffix).mode & 0o777)
    expect(modes()).toEqual([0o600, 0o600, 0o600])
    expect(stores.notices).toEqual([])
    await stores.close()
    chmodSync(sqlite, 0o644)
    await using again = await openStores({ sqlite })
    expect(modes()).toEqual([0o600, 0o600, 0o600])
    expect(again.notices[0]).toBe(`${sqlite} was open to other users (0644): it is 0600 now`)
  })

  it('that another process uses is not moved aside by a copy of a log that is not ours', async () => {
    const { sqlite, stores } = await openWithPin()
    unlinkSync(`${sqlite}-wal`)
    writeFileSync(`${sqlite}-wal`, 'another log')
    await expectGone(stores, 'log_deleted')
    await expect(stores.probe()).rejects.toMatchObject({ fault: 'log_deleted' })
    expect(statSync(`${sqlite}-wal`).size).toBe('another log'.length)
    expect(existsSync(`${sqlite}.rescued-1`)).toBe(true)
    unlinkSync(`${sqlite}-wal`)
    await expectWhole(stores, sqlite)
  })
})

/** A file system of that many megabytes; undefined where none may be mounted. */
function mountSmall(megabytes: number): string | undefined {
  const folder = newFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  return folder
}

it('a full disk fails calls, and room again mends that', async ({ skip }) => {
  const small = mountSmall(4)
  if (small === undefined) return skip('a small file system cannot be mounted here')
  const { sqlite, stores } = await openWithPin(small)
  const ballast = join(small, 'ballast')
  for (let bytes = 4_000_000; bytes > 100; bytes = Math.floor(bytes / 2)) {
    try {
      writeFileSync(ballast, Buffer.alloc(bytes), { flag: 'a' })
    } catch {
      // That much does not fit; half of it may.
    }
  }
  await expect(stores.probe()).rejects.toMatchObject({ code: 'unavailable', fault: 'full' })
  const put: string[] = []
  const fill = async (): Promise<void> => {
    for (let i = 0; i < 2_000; i++) {
      await stores.pins.put('q', pin(`${i}`))
      put.push(`${i}`)
    }
  }
  await expect(fill()).rejects.toMatchObject({ code: 'unavailable', fault: 'full' })
  rmSync(ballast)
  await expectWhole(stores, sqlite)
  const kept = join(newFolder(), 'kept.db')
  cpSync(sqlite, kept)
  await using again = await openStores({ sqlite: kept })
  expect((await again.pins.list('q', { limit: 3_000 })).map(({ cid }) => cid).toSorted()).toEqual(put.toSorted())
})

/** Takes every byte that a disk has left. */
function fillDisk(file: string): void {
  for (let bytes = 1_048_576; bytes >= 4_096; bytes /= 4) {
    try {
      for (;;) writeFileSync(file, randomBytes(bytes), { flag: 'a' })
    } catch {
      // Less may fit.
    }
  }
}

it('a disk that others keep full takes a thousand changes, and those survive a kill', async ({ skip }) => {
  const small = mountSmall(32)
  if (small === undefined) return skip('a small file system cannot be mounted here')
  const { sqlite, stores } = await openWithPin(small)
  for (let i = 0; i < 100; i++) await stores.pins.put('q', pin(`${i}`))
  const ballast = join(small, 'ballast')
  fillDisk(ballast)
  await expect(stores.probe()).rejects.toMatchObject({ fault: 'full' })
  fillDisk(ballast)
  for (let i = 0; i < 1_000; i++) {
    if (i % 2 === 0) await stores.pins.remove('q', '7')
    else await stores.pins.put('q', pin('7'))
  }
  await stores.pins.remove('q', '8')
  // The files as a killed process leaves them.
  const kept = newFolder()
  for (const suffix of ['', '-wal']) cpSync(`${sqlite}${suffix}`, join(kept, `kept.db${suffix}`))
  await using again = await openStores({ sqlite: join(kept, 'kept.db') })
  const cids = (await again.pins.list('q', { limit: 200 })).map(({ cid }) => cid)
  expect(cids).toHaveLength(99)
  expect(cids).not.toContain('8')
  await stores.close()
  fillDisk(ballast)
  const restarted = await openStores({ sqlite })
  await restarted.pins.remove('q', '9')
  rmSync(ballast)
  await restarted.probe()
  expect(await restarted.pins.list('q', { limit: 200 })).toHaveLength(98)
  await restarted.close()
})

describe.skipIf(isOptional && missingPostgres() !== undefined)('a PostgreSQL server', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  }, 120_000)
  afterAll(() => server?.stop(), 60_000)

  it('that stops fails calls as unreachable, and is used again once it is back', async () => {
    await using stores = await openStores({ postgres: await server.createDatabase('stopping') })
    await stores.pins.put('p', pin('before'))
    await server.restart(async () => {
      await expect(stores.pins.put('p', pin('while'))).rejects.toMatchObject({
        code: 'unavailable',
        fault: 'unreachable',
      })
      await expect(stores.probe()).rejects.toMatchObject({ code: 'unavailable', fault: 'unreachable' })
    })
    await stores.probe()
    await stores.pins.put('p', pin('later'))
    expect(await cidsOf(stores)).toEqual(['before', 'later'])
  })

  it('that is frozen fails calls within their time, holds up no close, and is used again once it runs', async () => {
    const url = { postgres: await server.createDatabase('freezing') }
    await using stores = await openStores(url)
    const closed = await openStores(url)
    await stores.pins.put('p', pin('before'))
    await closed.probe()
    await server.freeze(async () => {
      const silent = { code: 'unavailable', fault: 'silent' }
      await Promise.all([
        expect(stores.pins.get('p', 'before')).rejects.toMatchObject(silent),
        expect(stores.pins.put('p', pin('while'))).rejects.toMatchObject(silent),
        expect(stores.probe()).rejects.toMatchObject(silent),
        closed.close(),
      ])
    })
    await stores.probe()
    await stores.pins.put('p', pin('later'))
    expect(await cidsOf(stores)).toEqual(['before', 'later'])
  })

  it('that takes no writes is told as read-only', async () => {
    const { default: pg } = await import('pg')
    const url = await server.createDatabase('standby')
    await using stores = await openStores({ postgres: url })
    const client = new pg.Client(url)
    await client.connect()
    await client.query('alter database standby set default_transaction_read_only = on')
    await client.end()
    await expect(stores.probe()).rejects.toMatchObject({ code: 'unavailable', fault: 'read_only' })
  })
})
