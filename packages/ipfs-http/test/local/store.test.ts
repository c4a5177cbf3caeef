import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { FsBlockstore } from 'blockstore-fs'
import { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import { createLocalBackend } from '../../src/local/index.ts'
import { cidOf } from './read/dags.ts'
import { addAll, all, bytesOf, call, file, openTemp, rootOf, tempFolder, textOf } from './support.ts'

/** Every file of a store, without those that are no blocks. */
async function filesOf(dir: string): Promise<string[]> {
  const names = await readdir(join(dir, 'blocks'), { recursive: true })
  return names.filter((name) => name.includes('.'))
}

/** The only block of a store. */
async function onlyBlock(dir: string): Promise<string> {
  const [only, ...others] = await filesOf(dir)
  expect(others).toEqual([])
  return join(dir, 'blocks', only!)
}

test('blocks lie where blockstore-fs looks for them', async () => {
  const backend = await openTemp()
  const cid = rootOf(await addAll(backend, [file('a', 'hello')], { cidVersion: 1, rawLeaves: true }))
  const store = new FsBlockstore(join(backend.dir, 'blocks'))
  expect(Buffer.concat(await all(store.get(cid))).toString()).toBe('hello')
})

test('blocks that blockstore-fs has written are read', async () => {
  const dir = await tempFolder()
  const store = new FsBlockstore(join(dir, 'blocks'))
  await store.open()
  const cid = cidOf(Buffer.from('hello world'))
  await store.put(cid, Buffer.from('hello world'))
  const backend = await openTemp({ dir })
  expect(await textOf(backend, cid)).toBe('hello world')
  expect(await backend.collect(async function* () {}, call())).toEqual({ removed: 1, bytes: 11n })
})

test('the same bytes are one block, whatever the version and codec of their CID', async () => {
  const backend = await openTemp()
  const bytes = Uint8Array.of(0x0a, 0x04, 0x08, 0x02, 0x18, 0x00)
  const v0 = await backend.putBlock(bytes, { version: 0, codec: 'dag-pb', hash: 'sha2-256' }, call())
  const raw = await backend.putBlock(bytes, { version: 1, codec: 'raw', hash: 'sha2-256' }, call())
  expect([String(v0), raw.version]).toEqual(['QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH', 1])
  expect(await filesOf(backend.dir)).toHaveLength(1)
  for (const cid of [v0, v0.toV1(), raw])
    expect(Buffer.from(await backend.getBlock(cid, call())).equals(bytes)).toBe(true)
})

test('a store that is opened again has its blocks and its name', async () => {
  const first = await openTemp()
  const cid = rootOf(await addAll(first, [file('a', 'hello')]))
  const { ID: id } = await first.id(call())
  await first.close()
  const again = await openTemp({ dir: first.dir })
  expect(await textOf(again, cid)).toBe('hello')
  expect((await again.id(call()))['ID']).toBe(id)
  expect(id).toMatch(/^12D3KooW[1-9A-HJ-NP-Za-km-z]{44}$/)
})

test('a broken block is never served, and adding its content again repairs it', async () => {
  const backend = await openTemp()
  const cid = rootOf(await addAll(backend, [file('a', 'hello')]))
  const path = await onlyBlock(backend.dir)
  const bytes = await readFile(path)
  bytes[bytes.length - 3]! ^= 1
  await writeFile(path, bytes)
  await expect(bytesOf(backend, cid)).rejects.toMatchObject({ code: 'bad_content' })
  await addAll(backend, [file('a', 'hello')])
  expect(await textOf(backend, cid)).toBe('hello')
})

test('a broken block is fetched again where there is a gateway, and whole on the disk then', async () => {
  const content = Buffer.from('hello')
  let asked = 0
  const fetch = async (): Promise<Response> => {
    asked++
    return new Response(content)
  }
  const backend = await openTemp({ gateways: ['http://gateway.example'], fetch })
  const cid = rootOf(await addAll(backend, [file('a', 'hello')], { cidVersion: 1, rawLeaves: true }))
  await writeFile(await onlyBlock(backend.dir), 'hellO')
  expect([await textOf(backend, cid), await textOf(backend, cid), asked]).toEqual(['hello', 'hello', 1])
  expect(await readFile(await onlyBlock(backend.dir), 'utf8')).toBe('hello')
})

test('an archive of what has no time has that of the clock', async () => {
  const clock = { now: () => 0, date: () => 1_700_000_000_999, after: () => () => {} }
  const backend = await openTemp({ clock })
  const cid = rootOf(await addAll(backend, [file('a', 'hello')]))
  const tar = Buffer.concat(await all(await backend.get({ cid, segments: [] }, 'a', call())))
  expect(Number.parseInt(tar.toString('latin1', 136, 147), 8)).toBe(1_700_000_000)
})

test('a block that lost its end is written again when its content is added', async () => {
  const backend = await openTemp()
  const cid = rootOf(await addAll(backend, [file('a', 'hello')]))
  await writeFile(await onlyBlock(backend.dir), 'h')
  await addAll(backend, [file('a', 'hello')])
  expect(await textOf(backend, cid)).toBe('hello')
})

test('a block that is not here is not found', async () => {
  const backend = await openTemp()
  const cid = CID.parse('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')
  await expect(backend.getBlock(cid, call())).rejects.toMatchObject({ code: 'not_found' })
})

test('what a process that was killed left half written is removed', async () => {
  const dir = await tempFolder()
  await mkdir(join(dir, 'blocks', 'AA'), { recursive: true })
  await writeFile(join(dir, 'blocks', 'AA', 'CIQAA.data.7.part'), 'half')
  await writeFile(join(dir, 'lock'), '999999999 1\n')
  await writeFile(join(dir, 'identity.part'), 'half')
  const backend = await openTemp({ dir })
  expect(await filesOf(backend.dir)).toEqual([])
})

test('a second process, and a second store in this one, are told who has the folder', async () => {
  const backend = await openTemp()
  await expect(createLocalBackend({ dir: backend.dir })).rejects.toMatchObject({
    code: 'storage',
    message: expect.stringContaining('in use by this process'),
  })
  const index = new URL('../../src/local/index.ts', import.meta.url).href
  const program = `import { createLocalBackend } from '${index}'
    try { await createLocalBackend({ dir: process.argv[1] }) } catch (error) { console.log(error.code, error.message) }`
  const run = promisify(execFile)
  const flags = ['--conditions=@wayleave/source', '--input-type=module', '-e', program, '--', backend.dir]
  expect((await run(process.execPath, flags)).stdout).toContain(`in use by process ${process.pid}`)
  await backend.close()
  await (await createLocalBackend({ dir: backend.dir })).close()
})

test.each([
  ['a lock that cannot be read', (dir: string) => mkdir(join(dir, 'lock'))],
  ['an identity that is none', (dir: string) => writeFile(join(dir, 'identity'), '')],
])('a folder with %s is refused', async (_, make) => {
  const dir = await tempFolder()
  await make(dir)
  await expect(createLocalBackend({ dir })).rejects.toMatchObject({ code: 'storage' })
})

test('a lock of a process id that another process has now is taken over', async () => {
  const dir = await tempFolder()
  await writeFile(join(dir, 'lock'), `${process.ppid} 1\n`)
  await openTemp({ dir })
})

test.skipIf(process.getuid?.() === 0)('a folder without permission says so', async () => {
  const dir = await tempFolder()
  await chmod(dir, 0o500)
  await expect(createLocalBackend({ dir })).rejects.toMatchObject({
    code: 'storage',
    message: expect.stringContaining('permission denied'),
  })
})

test('a disk that refuses ends the upload with its reason, and leaves nothing half written', async () => {
  const backend = await openTemp()
  // Where the folder of the block should be, there is a file.
  const probe = await openTemp()
  const content = 'x'.repeat(100)
  await addAll(probe, [file('a', content)])
  const [blocked] = (await readdir(join(probe.dir, 'blocks'))) as [string]
  await writeFile(join(backend.dir, 'blocks', blocked), '')
  await expect(addAll(backend, [file('b', 'fine'), file('a', content)])).rejects.toMatchObject({ code: 'storage' })
  expect((await filesOf(backend.dir)).every((name) => name.endsWith('.data'))).toBe(true)
})

test('a store that was closed refuses, and closing it twice is one closing', async () => {
  const backend = await openTemp()
  const cid = rootOf(await addAll(backend, [file('a', 'hello')]))
  await Promise.all([backend.close(), backend.close()])
  await expect(backend.getBlock(cid, call())).rejects.toMatchObject({ code: 'closed' })
  await expect(addAll(backend, [file('a', 'hello')])).rejects.toMatchObject({ code: 'closed' })
  await expect(
    backend.putBlock(new Uint8Array(1), { version: 1, codec: 'raw', hash: 'sha2-256' }, call()),
  ).rejects.toMatchObject({ code: 'closed' })
})

test.each([
  [{ version: 0, codec: 'raw', hash: 'sha2-256' }, 1, 'bad_argument'],
  [{ version: 0, codec: 'dag-pb', hash: 'sha2-512' }, 1, 'bad_argument'],
  [{ version: 1, codec: 'raw', hash: 'md5' }, 1, 'bad_argument'],
  [{ version: 1, codec: 'git-raw', hash: 'sha2-256' }, 1, 'bad_argument'],
  [{ version: 1, codec: 'raw', hash: 'sha2-256' }, 2 ** 21 + 1, 'too_large'],
] as const)('a block that cannot be kept is refused: %o of %i bytes', async (kind, length, code) => {
  const backend = await openTemp()
  await expect(backend.putBlock(new Uint8Array(length), kind, call())).rejects.toMatchObject({ code })
  expect(await filesOf(backend.dir)).toEqual([])
})

test.each([
  'sha1',
  'sha2-512',
  'sha3-224',
  'blake2b-256',
  'blake2b-512',
  'blake2s-256',
  'blake2s-160',
  'dbl-sha2-256',
  'keccak-224',
  'keccak-384',
  'blake3',
  'shake-128',
])('a block of %s can be put and read', async (hash) => {
  const backend = await openTemp()
  const bytes = Buffer.from('any bytes')
  const cid = await backend.putBlock(bytes, { version: 1, codec: 'raw', hash }, call())
  expect(bytes.equals(await backend.getBlock(cid, call()))).toBe(true)
})
