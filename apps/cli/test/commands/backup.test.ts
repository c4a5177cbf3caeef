import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, openSync, readdirSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { openStores } from '@wayleave/stores'
import { type Headers, pack } from 'tar-stream'
import { expect, it, onTestFinished } from 'vitest'
import { startGateway } from '../accounts/helpers.ts'
import { isRequired, missingPostgres, startPostgres } from '../doctor/servers.ts'
import { folder, runWayleave } from '../helpers.ts'

const by = { actor: 'ops', at: 1 }

/** A data folder with a database, pinned blocks, and further files. */
async function dataFolder(): Promise<{ readonly dir: string; readonly dataDir: string; readonly tar: string }> {
  const dir = await folder()
  const dataDir = join(dir, 'data')
  mkdirSync(join(dataDir, 'ipfs', 'blocks', '2A'), { recursive: true })
  await using stores = await openStores({ sqlite: join(dataDir, 'wayleave.sqlite') })
  await stores.accounts.createProject({ id: 'shop', name: 'Shop' }, by)
  await stores.pins.put('shop', { cid: 'QmA', type: 'recursive', name: 'a', bytes: 5n })
  writeFileSync(join(dataDir, 'chains.json'), '{"main":{"kind":"evm","chainId":7}}\n')
  writeFileSync(join(dataDir, 'key'), 'wl_a-key-of-the-tests\n', { mode: 0o600 })
  for (let i = 0; i < 20; i++) writeFileSync(join(dataDir, 'ipfs', 'blocks', '2A', `CIQBLOCK${i}.data`), `block ${i}`)
  writeFileSync(join(dataDir, 'ipfs', 'blocks', '2A', 'CIQHALF.data.1.part'), 'half')
  return { dir, dataDir, tar: join(dir, 'a.tar') }
}

/** The paths of all files below a folder, with the SHA-256 of each; of a database, its rows. */
function contentOf(dir: string): Record<string, string> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      const content = name === 'wayleave.sqlite' ? rowsOf(path) : readFileSync(path)
      return [path.slice(dir.length + 1), createHash('sha256').update(content).digest('hex')]
    }),
  )
}

function rowsOf(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true })
  const tables = database.prepare(`select name from sqlite_master where type = 'table' order by name`).all()
  const rows = tables.map(({ name }) => [name, database.prepare(`select * from "${String(name)}"`).all()])
  database.close()
  return JSON.stringify(rows)
}

it('puts back all that it copied, and what tar reads, too', async () => {
  const { dir, dataDir, tar } = await dataFolder()
  const made = await runWayleave(['backup', tar, '--data-dir', dataDir, '--with-ipfs', '--json'])
  expect([made.code, made.stderr]).toEqual([0, ''])
  expect(JSON.parse(made.stdout)).toMatchObject({ blocks: { count: expect.any(Number) as number } })
  expect(statSync(tar).mode & 0o777).toBe(0o600)
  expect(readdirSync(dir).toSorted()).toEqual(['a.tar', 'data'])
  const listed = execFileSync('tar', ['-tf', tar], { encoding: 'utf8' }).trim().split('\n')
  expect(listed).toEqual(expect.arrayContaining(['ipfs/blocks/2A/CIQBLOCK7.data', 'wayleave.sqlite', 'key']))
  expect(listed.at(-1)).toBe('manifest.json')

  const other = join(dir, 'other')
  const { code, stdout } = await runWayleave(['restore', tar, '--data-dir', other])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^\S+a\.tar of 20\S+Z is restored, with \d+ blocks\n$/)])
  const {
    'ipfs/blocks/2A/CIQHALF.data.1.part': _half,
    'wayleave.sqlite.reserve': _reserve,
    ...before
  } = contentOf(dataDir)
  expect(contentOf(other)).toEqual(before)
  expect(statSync(join(other, 'key')).mode & 0o777).toBe(0o600)
})

it('leaves blocks out unless they are asked for', async () => {
  const { dataDir, tar } = await dataFolder()
  const { stdout } = await runWayleave(['backup', tar, '--data-dir', dataDir])
  expect(stdout).toMatch(/: wayleave\.sqlite, chains\.json, key; \d+\.\d KiB\n$/)
})

it('copies a gateway that serves and is written to, and refuses to restore over it', { timeout: 60_000 }, async () => {
  const gateway = await startGateway()
  const done = new AbortController()
  try {
    const config = ['--config', gateway.configFile]
    let written = 0
    const writing = (async () => {
      await using stores = await openStores({ sqlite: gateway.database })
      for (; !done.signal.aborted; written++) {
        await stores.accounts.createProject({ id: `p${written}`, name: `P${written}` }, by)
        await sleep(5)
      }
    })()
    const dir = await folder()
    const seen: number[] = []
    for (let i = 0; i < 2; i++) {
      const tar = join(dir, `${i}.tar`)
      expect(await runWayleave(['backup', tar, ...config])).toMatchObject({ code: 0, stderr: '' })
      const dataDir = join(dir, String(i))
      expect(await runWayleave(['restore', tar, '--data-dir', dataDir])).toMatchObject({ code: 0 })
      await using stores = await openStores({ sqlite: join(dataDir, 'wayleave.sqlite') })
      const { seq, projects } = await stores.accounts.snapshot()
      // One moment: as many projects as changes, and none is missing in between.
      expect(projects.length).toBe(seq)
      expect(new Set(projects.map(({ id }) => id))).toEqual(new Set(projects.map((_, at) => `p${at}`)))
      seen.push(projects.length)
    }
    done.abort()
    await writing
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(seen.at(-1)).toBeGreaterThan(0)
    expect(await gateway.call('0123456789abcdef0123456789abcdef', 'eth_chainId')).toBe(200)
    const refused = await runWayleave(['restore', join(dir, '0.tar'), ...config, '--force'])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('stop the gateway first') as string })
    expect(await gateway.call('0123456789abcdef0123456789abcdef', 'eth_chainId')).toBe(200)
  } finally {
    done.abort()
    await gateway.stop()
  }
})

it('keeps no pin whose blocks may be gone', async () => {
  const { dir, dataDir, tar } = await dataFolder()
  const { copySqlite, dropLostPins } = await import('@wayleave/stores')
  const [copy, live] = [join(dir, 'copy'), join(dataDir, 'wayleave.sqlite')]
  await copySqlite(live, copy)
  await using stores = await openStores({ sqlite: live })
  await stores.pins.put('shop', { cid: 'QmB', type: 'recursive', name: undefined, bytes: 7n } as never)
  await stores.pins.remove('shop', 'QmA')
  expect(await dropLostPins(copy, live)).toBe(1)
  await using kept = await openStores({ sqlite: copy })
  expect(await kept.pins.list('shop', { limit: 10 })).toEqual([])
  expect((await kept.pins.usage('shop', '2026-11')).storedBytes).toBe(0n)
  expect(await runWayleave(['backup', tar, '--data-dir', dataDir])).toMatchObject({ code: 0 })
})

it('moves state that is there aside with --force, and refuses without', async () => {
  const { dir, dataDir, tar } = await dataFolder()
  await runWayleave(['backup', tar, '--data-dir', dataDir])
  const before = contentOf(dataDir)
  await writeFile(join(dataDir, 'key'), 'another key\n')
  const refused = await runWayleave(['restore', tar, '--data-dir', dataDir])
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--force moves it aside') as string })
  expect(readFileSync(join(dataDir, 'key'), 'utf8')).toBe('another key\n')
  const { code, stdout } = await runWayleave(['restore', tar, '--data-dir', dataDir, '--force', '--json'])
  const { before: aside } = JSON.parse(stdout) as { readonly before: readonly string[] }
  expect([code, aside.length]).toEqual([0, 1])
  expect(readFileSync(join(aside[0]!, 'key'), 'utf8')).toBe('another key\n')
  expect(contentOf(dataDir)).toMatchObject(
    Object.fromEntries(['key', 'chains.json', 'wayleave.sqlite'].map((name) => [name, before[name]])),
  )
  expect(readdirSync(dir).toSorted()).toEqual(['a.tar', 'data'])
})

it('takes nothing of an archive that is torn, changed or foreign', { timeout: 60_000 }, async () => {
  const { dir, dataDir, tar } = await dataFolder()
  await runWayleave(['backup', tar, '--data-dir', dataDir, '--with-ipfs'])
  const bytes = await readFile(tar)
  const variants: Record<string, Buffer> = {
    empty: Buffer.alloc(0),
    letter: Buffer.from('Dear reader, this is no archive. '.repeat(100)),
    foreign: execFileSync('tar', ['-C', dir, '-cf', '-', 'data/key']),
    outside: execFileSync('tar', ['-C', dataDir, '-cf', '-', '--transform=s,key,../key,', '-P', 'key']),
  }
  for (const share of [0.1, 0.5, 0.9, 0.99])
    variants[`torn${share}`] = bytes.subarray(0, Math.floor(bytes.length * share))
  variants['torn behind a header'] = bytes.subarray(0, 512)
  for (const word of ['block 7', '0002-pins', 'wl_a-key', 'CIQBLOCK3.data']) {
    const changed = Buffer.from(bytes)
    changed.write('X', changed.indexOf(word))
    variants[`changed ${word}`] = changed
  }
  const other = join(dir, 'other')
  for (const [name, variant] of Object.entries(variants)) {
    const file = join(dir, 'bad.tar')
    await writeFile(file, variant)
    const { code, stderr } = await runWayleave(['restore', file, '--data-dir', other])
    expect([name, code, stderr]).toEqual([name, 1, expect.stringMatching(/cannot be restored: .*Nothing was changed/)])
    expect(
      readdirSync(dir)
        .filter((entry) => !['a.tar', 'bad.tar', 'data'].includes(entry))
        .flatMap((entry) =>
          readdirSync(join(dir, entry), { recursive: true, withFileTypes: true }).filter((found) => found.isFile()),
        ),
    ).toEqual([])
  }
})

/** Makes an archive of one file, and a manifest that fits it. */
async function archiveOf(entry: Headers & { readonly pax?: object }, at: string): Promise<Buffer> {
  const content = 'wl_a-key\n'
  const sha256 = createHash('sha256').update(content).digest('hex')
  const files = [{ path: entry.name, bytes: content.length, sha256 }]
  const archive = pack()
  archive.entry(entry, content)
  const manifest = { format: 'wayleave-backup', version: 1, wayleave: '1', at, migrations: [], files }
  archive.entry({ name: 'manifest.json' }, JSON.stringify(manifest))
  archive.finalize()
  return buffer(archive)
}

it.each(['nan', '-5', '9'.repeat(30)])(
  'refuses an archive with a file of %s bytes, and leaves nothing',
  async (size) => {
    const dir = await folder()
    const file = join(dir, 'bad.tar')
    await writeFile(file, await archiveOf({ name: 'key', pax: { size } }, 'now'))
    const { code, stderr } = await runWayleave(['restore', file, '--data-dir', join(dir, 'other')])
    expect([code, stderr]).toEqual([1, expect.stringContaining('it holds what no backup does')])
    expect(readdirSync(dir)).toEqual(['bad.tar'])
  },
)

it.each(['pax-header', 'pax-global-header', 'gnu-long-path'])('collects no endless %s in memory', async (type) => {
  const dir = await folder()
  const file = join(dir, 'bad.tar')
  const bytes = await archiveOf({ name: 'key' }, 'now')
  const header = bytes.subarray(0, 512)
  header.write('77777777777', 124, 'latin1')
  header[156] = { 'pax-header': 120, 'pax-global-header': 103 }[type] ?? 76
  header.write('        ', 148, 'latin1')
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
    'latin1',
  )
  await writeFile(file, header)
  await truncate(file, 50_000_000)
  const { code, stderr } = await runWayleave(['restore', file, '--data-dir', join(dir, 'other')])
  expect([code, stderr]).toEqual([1, expect.stringContaining('it holds what no backup does')])
})

it('prints nothing of an archive that a terminal would obey', async () => {
  const dir = await folder()
  const file = join(dir, 'odd.tar')
  await writeFile(file, await archiveOf({ name: 'key' }, 'now\u001B[2J\n'))
  const { code, stdout } = await runWayleave(['restore', file, '--data-dir', join(dir, 'other')])
  expect(code).toBe(0)
  expect(stdout.trimEnd()).not.toMatch(/\p{Cc}/u)
})

it('puts back a block of the longest name', async () => {
  const { dir, dataDir, tar } = await dataFolder()
  const name = join('ipfs', 'blocks', '2A', `${'C'.repeat(240)}.data`)
  writeFileSync(join(dataDir, name), 'long')
  await runWayleave(['backup', tar, '--data-dir', dataDir, '--with-ipfs'])
  expect(await runWayleave(['restore', tar, '--data-dir', join(dir, 'other')])).toMatchObject({ code: 0 })
  expect(readFileSync(join(dir, 'other', name), 'utf8')).toBe('long')
})

it('puts all back where one of its places cannot be taken', async ({ skip }) => {
  const { dir, dataDir, tar } = await dataFolder()
  await runWayleave(['backup', tar, '--data-dir', dataDir, '--with-ipfs'])
  const other = join(dir, 'other')
  await mkdir(join(other, 'ipfs'), { recursive: true })
  await writeFile(join(other, 'key'), 'another key\n')
  // A file system of its own is in the place of the blocks: it cannot be renamed, as a mount.
  await mkdir(join(other, 'ipfs', 'blocks'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', join(other, 'ipfs', 'blocks')], {
      stdio: 'ignore',
    })
  } catch {
    return skip('a file system cannot be mounted here')
  }
  onTestFinished(() => void execFileSync('umount', ['-l', join(other, 'ipfs', 'blocks')]))
  const before = contentOf(other)
  const { code, stderr } = await runWayleave(['restore', tar, '--data-dir', other, '--force'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('EBUSY')])
  expect(contentOf(other)).toEqual(before)
  expect(readdirSync(other).toSorted()).toEqual(['ipfs', 'key'])
})

it('refuses a database that the gateway would not read', async () => {
  const { dir, dataDir, tar } = await dataFolder()
  await runWayleave(['backup', tar, '--data-dir', dataDir])
  const config = join(dir, 'wayleave.json')
  const networks = { main: { kind: 'evm', chainId: 7, upstreams: ['http://127.0.0.1:1'] } }
  const store = { postgres: 'postgres://u:sk-1@127.0.0.1:1/x' }
  await writeFile(config, JSON.stringify({ dataDir: join(dir, 'other'), store, networks }))
  const refused = await runWayleave(['restore', tar, '--config', config])
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('an SQLite database, and store') as string })
  expect(refused.stderr).not.toContain('sk-1')
  expect(readdirSync(dir).toSorted()).toEqual(['a.tar', 'data', 'wayleave.json'])
  const dump = join(dir, 'dump.tar')
  await writeFile(dump, await archiveOf({ name: 'postgres.dump' }, 'now'))
  const { code, stderr } = await runWayleave(['restore', dump, '--data-dir', join(dir, 'other')])
  expect([code, stderr]).toEqual([1, expect.stringContaining('a dump of PostgreSQL, and no store.postgres')])
})

it('refuses an archive of a newer version', async () => {
  const { dir, dataDir, tar } = await dataFolder()
  const database = new DatabaseSync(join(dataDir, 'wayleave.sqlite'))
  database.exec(`insert into wayleave_migrations values ('9999-later', '2099-01-01T00:00:00.000Z')`)
  database.close()
  await runWayleave(['backup', tar, '--data-dir', dataDir])
  const { code, stderr } = await runWayleave(['restore', tar, '--data-dir', join(dir, 'other')])
  expect([code, stderr]).toEqual([1, expect.stringContaining('made by a newer version')])
})

it('says that the disk is full, and leaves nothing there', async ({ skip }) => {
  const { dataDir } = await dataFolder()
  const disk = await mkdtemp(join(tmpdir(), 'wayleave-full-'))
  onTestFinished(() => rm(disk, { recursive: true, force: true }))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk], { stdio: 'ignore' })
  } catch {
    return skip('a small file system cannot be mounted here')
  }
  onTestFinished(() => void execFileSync('umount', ['-l', disk]))
  const filler = openSync(join(disk, 'filler'), 'w')
  writeSync(filler, Buffer.alloc(150_000))
  const full = await runWayleave(['backup', join(disk, 'a.tar'), '--data-dir', dataDir, '--with-ipfs'])
  expect(full).toMatchObject({ code: 1, stderr: expect.stringMatching(/disk|full/) as string })
  expect(readdirSync(disk)).toEqual(['filler'])
  const tar = join(dataDir, '..', 'a.tar')
  await runWayleave(['backup', tar, '--data-dir', dataDir, '--with-ipfs'])
  const restored = await runWayleave(['restore', tar, '--data-dir', join(disk, 'data')])
  expect(restored).toMatchObject({ code: 1, stderr: expect.stringContaining('is full') as string })
  expect(
    readdirSync(disk, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name),
  ).toEqual(['filler'])
})

it('replaces no archive unless it is told to, and one by a whole one', async () => {
  const { dataDir, tar } = await dataFolder()
  await writeFile(tar, 'an older one')
  expect(await runWayleave(['backup', tar, '--data-dir', dataDir])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--force') as string,
  })
  expect(await readFile(tar, 'utf8')).toBe('an older one')
  await truncate(join(dataDir, 'wayleave.sqlite'), 100)
  await rm(join(dataDir, 'wayleave.sqlite-wal'), { force: true })
  expect(await runWayleave(['backup', tar, '--data-dir', dataDir, '--force'])).toMatchObject({ code: 1 })
  expect(await readFile(tar, 'utf8')).toBe('an older one')
})

it('prints the command for PostgreSQL without its password, or runs it', { timeout: 120_000 }, async ({ skip }) => {
  if (!isRequired && missingPostgres() !== undefined) return skip(missingPostgres())
  await using server = await startPostgres()
  const postgres = await server.createDatabase('live')
  {
    await using stores = await openStores({ postgres })
    await stores.accounts.createProject({ id: 'shop', name: 'Shop' }, by)
  }
  const dir = await folder()
  const configFor = async (name: string, url: string): Promise<string> => {
    const file = join(dir, name)
    const networks = { main: { kind: 'evm', chainId: 7, upstreams: ['http://127.0.0.1:1'] } }
    await writeFile(
      file,
      JSON.stringify({ dataDir: join(dir, name.replace('.json', '')), store: { postgres: url }, networks }),
    )
    return file
  }
  const config = await configFor('a.json', postgres)
  const tar = join(dir, 'a.tar')
  const printed = await runWayleave(['backup', join(dir, 'b.tar'), '--config', config])
  expect(printed.stdout).toMatch(
    /^pg_dump --format=custom --no-owner --file=\S+b\.tar\.dump --dbname=postgres:\/\/admin@127\.0\.0\.1:\d+\/live$/m,
  )
  expect(printed.stdout + printed.stderr).not.toMatch(/p@ss|p%40ss/)
  const ran = await runWayleave(['backup', tar, '--config', config, '--pg-dump'], { PATH: process.env['PATH']! })
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  expect(ran.stdout).toMatch(/: postgres\.dump; /)

  const empty = await server.createDatabase('empty')
  const { stdout } = await runWayleave(['restore', tar, '--config', await configFor('c.json', empty), '--json'])
  const { command } = JSON.parse(stdout) as { readonly command: string }
  const password = decodeURIComponent(new URL(postgres).password)
  execFileSync('/bin/sh', ['-c', command], { env: { ...process.env, PGPASSWORD: password }, stdio: 'ignore' })
  await using stores = await openStores({ postgres: empty })
  expect((await stores.accounts.snapshot()).projects.map(({ id }) => id)).toEqual(['shop'])
})

it('tells wrong use', async () => {
  for (const args of [[], ['a', 'b'], ['a', '--config', 'x', '--data-dir', 'y'], ['a', '--data-dir', '']]) {
    expect(await runWayleave(['backup', ...args])).toMatchObject({ code: 2 })
    expect(await runWayleave(['restore', ...args])).toMatchObject({ code: 2 })
  }
  const none = join(await folder(), 'none.tar')
  for (const place of [join(await folder(), 'x'), (await dataFolder()).dataDir]) {
    for (const more of [[], ['--force']])
      expect(await runWayleave(['restore', none, '--data-dir', place, ...more])).toEqual({
        code: 1,
        stdout: '',
        stderr: `wayleave restore: expected an archive that can be read, got ${none} (there is no such file)\n`,
      })
  }
})
