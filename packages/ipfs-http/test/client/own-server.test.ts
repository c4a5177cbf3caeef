import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createIpfsClient, type IpfsClient } from '../../src/index.ts'
import { createLocalBackend, type LocalBackend } from '../../src/local/index.ts'
import { globSource } from '../../src/node/index.ts'
import { createIpfsHandler, createIpfsListener, createMemoryPinLedger } from '../../src/server/index.ts'
import { allOf } from './test-host.ts'

let dir: string
let backend: LocalBackend
let client: IpfsClient
const listen = createServer((request, response) => void listener(request, response, project))
const project = { id: 'p', hasBillingCard: true, quota: {} }
let listener: ReturnType<typeof createIpfsListener>

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ipfs-client-'))
  backend = await createLocalBackend({ dir })
  listener = createIpfsListener(createIpfsHandler({ backend, ledger: createMemoryPinLedger() }))
  await new Promise<void>((resolve) => listen.listen(0, '127.0.0.1', resolve))
  client = createIpfsClient({ url: `http://127.0.0.1:${(listen.address() as AddressInfo).port}`, verify: 'proven' })
})

afterAll(async () => {
  listen.closeAllConnections()
  await new Promise((resolve) => listen.close(resolve))
  await backend.close()
  await rm(dir, { recursive: true })
})

it('proves what our own server adds and serves, in every shape', async () => {
  const content = randomBytes(3_000_000)
  for (const options of [
    {},
    { cidVersion: 1 },
    { trickle: true },
    { chunker: 'buzhash' },
    { chunker: 'rabin' },
  ] as const) {
    const { cid, verification } = await client.add(content, options)
    expect(verification).toBe('proven')
    expect(Buffer.compare(await client.cat(cid).bytes(), content)).toBe(0)
    expect(
      Buffer.compare(await client.cat(cid, { offset: 700_000, length: 9 }).bytes(), content.subarray(700_000, 700_009)),
    ).toBe(0)
  }
})

it.each([0o644, 0o100644, 0o4755, 0o41777])('proves what has the mode %o, with and without a time', async (mode) => {
  for (const options of [{}, { cidVersion: 1 }, { preserveMtime: true }, { mtime: { secs: 5n, nsecs: 7 } }] as const) {
    const { mtime, ...rest } = { mtime: undefined, ...options }
    const entries = [
      { path: 'd', mode, mtime },
      { path: 'd/x', content: 'hello', mode, mtime },
      { path: 'd/l', target: 'x', mode, mtime },
      { path: 'd/e', mode, mtime },
    ]
    for (const wrapWithDirectory of [false, true]) {
      const added = await allOf(client.addAll(entries, { ...rest, wrapWithDirectory }))
      expect(added.map(({ verification }) => verification)).not.toContain('unverified')
      expect(added.length).toBe(wrapWithDirectory ? 5 : 4)
    }
  }
  // Of Kubo 0.41.
  if (mode === 0o4755) {
    const { cid } = await client.add({ path: 'x', content: 'hello', mode })
    expect(cid).toBe('QmP6gasp2g4cJY2w4vrqaDvgDQopjRJsiaGjuhcz9E5EAz')
  }
})

it('brings a folder there and back, with modes and times', async () => {
  const here = new URL('.', import.meta.url).pathname
  const options = { preserveMode: true, preserveMtime: true }
  const added = await allOf(client.addAll(globSource(here, '**/*', options), { wrapWithDirectory: true, ...options }))
  const root = added.at(-1)!
  expect(root).toMatchObject({ path: '', verification: 'proven' })
  const sources = await allOf(globSource(here, '**/*', options))
  const entries = new Map<string, object>()
  for (const verify of ['proven', 'off'] as const) {
    for await (const { path, content, mode, mtime } of client.get(root.cid, { verify })) {
      const bytes = Buffer.concat(await allOf(content))
      entries.set(path.slice(root.cid.length + 1), { bytes, mode, secs: mtime?.secs })
    }
    for (const { path, content, mode, mtime } of sources) {
      const bytes = Buffer.concat(await allOf(content as AsyncIterable<Buffer>))
      expect(entries.get(path!)).toEqual({ bytes, mode, secs: mtime!.secs })
    }
  }
  const names = await allOf(client.ls(root.cid), ({ name }) => name)
  expect(names).toEqual(sources.map(({ path }) => path))
})

it('pins, lists, moves and unpins', async () => {
  const { cid: a } = await client.add('a', { pinName: 'first' })
  const { cid: b } = await client.add('b', { pin: false })
  expect(await allOf(client.pin.ls({ cid: a }))).toMatchObject([{ cid: a, type: 'recursive' }])
  expect(await client.pin.update(a, b)).toEqual([a, b])
  await expect(client.pin.rm(a)).rejects.toMatchObject({ code: 'not_pinned' })
  const seen: number[] = []
  expect(await client.pin.add(a, { onProgress: (blocks) => seen.push(blocks) })).toBe(a)
  expect(await client.pin.rm(b)).toBe(b)
})

it('puts blocks and nodes, and tells who it is', async () => {
  const { cid, verification } = await client.block.put(new TextEncoder().encode('hello world'))
  expect({ cid, verification }).toEqual({
    cid: 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e',
    verification: 'proven',
  })
  expect(Buffer.from(await client.block.get(cid)).toString()).toBe('hello world')
  expect(await client.block.stat(cid, { verify: 'consistent' })).toEqual({ cid, size: 11, verification: 'unverified' })
  expect(await client.block.stat(cid, { verify: 'proven' })).toEqual({ cid, size: 11, verification: 'proven' })
  const node = await client.dag.put({ a: { b: [1, 2] } })
  expect(await client.dag.get(`${node}/a/b`)).toEqual([1, 2])
  expect(await client.dag.resolve(`${node}/a`)).toEqual({ cid: node, remainder: 'a' })
  expect(await client.version()).toHaveProperty('Version')
  expect(await client.id()).toHaveProperty('ID')
})
