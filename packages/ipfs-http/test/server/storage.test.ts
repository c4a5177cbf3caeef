import { readdir, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import * as dagCbor from '@ipld/dag-cbor'
import { CID } from 'multiformats/cid'
import { expect, onTestFinished, test } from 'vitest'
import type { LocalBackend } from '../../src/local/index.ts'
import { createMemoryPinLedger, type PinLedger, pinnedRoots } from '../../src/server/index.ts'
import { carOf, cidOf, codes, identityOf } from '../local/read/dags.ts'
import { fakeClock } from '../fake-clock.ts'
import { openTemp } from '../local/support.ts'
import { boundary, form, type Served, projectOf, serve } from './serve.ts'

const refused = [403, 'not allowed - transfer quota reached']
const never = { signal: new AbortController().signal }

/** Content that no other call has. */
const noise = (bytes: number, seed: string): string =>
  Array.from({ length: bytes / 8 }, (_, at) => `${seed}${String(at).padStart(7, '0')}`).join('')

async function start(
  options: Parameters<typeof serve>[0] = {},
): Promise<Served & { local: LocalBackend; dir: string }> {
  const local = await openTemp()
  return { ...(await serve({ ...options, backend: local })), local, dir: local.dir }
}

/** Short raw blocks that no other call has. */
const shortBlocks = (count: number, seed: string): (readonly [CID, Buffer])[] =>
  Array.from({ length: count }, (_, at) => {
    const bytes = Buffer.from(`${seed}${at}`)
    return [cidOf(bytes), bytes]
  })

async function blockFiles(dir: string): Promise<string[]> {
  const names = await readdir(join(dir, 'blocks'), { recursive: true })
  return names.filter((name) => name.endsWith('.data'))
}

async function diskBytes(dir: string): Promise<number> {
  const stats = await Promise.all((await blockFiles(dir)).map((name) => stat(join(dir, 'blocks', name))))
  return stats.reduce((sum, { blocks }) => sum + blocks * 512, 0)
}

test('an upload past a quota leaves nothing on the disk, and other content stays', async () => {
  const { post, dir } = await start({ projects: [projectOf('alice', { storedBytes: 300_000n })] })
  await post('add', form({ content: noise(100_000, 'a') }))
  const before = await blockFiles(dir)
  for (let turn = 0; turn < 3; turn++) {
    const answer = await post(`add?pin=${turn !== 1}`, form({ content: noise(1_000_000, 'b') }))
    expect([answer.status, answer.text]).toEqual(refused)
    expect(await blockFiles(dir)).toEqual(before)
  }
  // Nothing of it counts any more.
  expect((await post('add', form({ content: noise(160_000, 'c') }))).status).toBe(200)
})

test('content that was added without a pin counts until a pin covers it or a collection removes it', async () => {
  const { post, local, ledger, dir } = await start({ projects: [projectOf('alice', { storedBytes: 20_000n })] })
  const add = async (path: string, seed: string): Promise<[number, string]> => {
    const { status, text } = await post(path, form({ content: noise(8_000, seed) }))
    return [status, text]
  }
  const [status, text] = await add('add?pin=false', 'a')
  expect(status).toBe(200)
  expect((await local.diskUse()).unpinnedBytes).toBe(8_192)
  expect((await add('add?pin=false', 'b'))[0]).toBe(200)
  expect(await add('add', 'c')).toEqual(refused)
  // The bytes already count for it, so it may pin them.
  const { Hash: cid } = JSON.parse(text) as { Hash: string }
  expect((await post(`pin/add?arg=${cid}`)).status).toBe(200)
  expect(await add('add', 'c')).toEqual(refused)
  await local.collect(() => pinnedRoots(ledger), never)
  expect((await local.diskUse()).unpinnedBytes).toBe(0)
  expect(await diskBytes(dir)).toBe(8_192)
  expect((await add('add', 'c'))[0]).toBe(200)
})

test.each(['a new block', 'a block that was here', 'an identity CID'])(
  'blocks of an import that its pin of %s does not hold count until a collection removes them',
  async (kind) => {
    const { post, local, ledger, dir } = await start({ projects: [projectOf('alice', { storedBytes: 90_000n })] })
    const bytes = Buffer.from('root')
    const root = kind === 'an identity CID' ? identityOf(bytes) : cidOf(bytes)
    if (kind === 'a block that was here') await post('block/put?pin=true', form({ content: bytes }))
    const importWith = async (seed: string): Promise<unknown[]> => {
      const content = carOf([root], [[root, bytes], ...shortBlocks(10, seed)])
      const { status, text } = await post('dag/import', form({ content }))
      return status === 200 ? [status] : [status, text]
    }
    expect(await importWith('a')).toEqual([200])
    expect((await local.diskUse()).unpinnedBytes).toBe(40_960)
    expect(await importWith('b')).toEqual([200])
    expect(await importWith('c')).toEqual(refused)
    expect((await local.diskUse()).unpinnedBytes).toBe(81_920)
    await local.collect(() => pinnedRoots(ledger), never)
    expect((await local.diskUse()).unpinnedBytes).toBe(0)
    expect(await blockFiles(dir)).toHaveLength(kind === 'an identity CID' ? 0 : 1)
    expect(await importWith('c')).toEqual([200])
  },
)

test('the blocks that an import pins and those that it does not must fit into the quota together', async () => {
  const { post } = await start({ projects: [projectOf('alice', { storedBytes: 20_000n })] })
  const [line] = (await post('add?chunker=size-100', { ...form({ content: noise(200, 'a') }), as: 'bob' })).lines
  const root = CID.parse(String(line!['Hash']))
  const importWith = async (count: number): Promise<number> =>
    (await post('dag/import', form({ content: carOf([root], shortBlocks(count, 'b')) }))).status
  expect(await importWith(2)).toBe(403)
  expect(await importWith(1)).toBe(200)
})

test('the blocks of a root that lacks one count on, where another root of the archive is pinned', async () => {
  const { post } = await start({ projects: [projectOf('alice', { storedBytes: 90_000n })] })
  const whole = Buffer.from('root')
  const importWith = async (seed: string): Promise<unknown> => {
    const members = shortBlocks(10, seed)
    const parent = dagCbor.encode([...members.map(([cid]) => cid), cidOf(Buffer.from('nowhere'))])
    const roots = [cidOf(parent, codes.cbor), cidOf(whole)]
    const content = carOf(roots, [[roots[0]!, parent], [roots[1]!, whole], ...members])
    const answer = await post('dag/import', form({ content }))
    if (answer.status !== 200) return answer.status
    return answer.lines.map(({ Root }) => (Root as { PinErrorMsg: string }).PinErrorMsg.split(':')[0])
  }
  expect(await importWith('a')).toEqual(['block was not found locally (offline)', ''])
  expect(await importWith('b')).toBe(403)
})

test('an upload that only hashes takes no room from those that come meanwhile', async () => {
  const { post, port } = await start({ projects: [projectOf('alice', { storedBytes: 3_145_728n })] })
  for (const [query, status] of [
    ['only-hash=true', 200],
    ['only-hash=false', 403],
  ] as const) {
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const head = [
      `POST /api/v0/add?${query} HTTP/1.1`,
      'host: a',
      'x-project: alice',
      `content-type: multipart/form-data; boundary=${boundary}`,
      'content-length: 2900000',
    ]
    socket.write(
      `${head.join('\r\n')}\r\n\r\n--${boundary}\r\ncontent-disposition: form-data; filename="a"\r\n\r\nslow`,
    )
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect((await post('add', form({ content: noise(400_000, query) }))).status, query).toBe(status)
    socket.destroy()
  }
})

test('content that lost its last pin counts until a collection that begins afterwards', async () => {
  const { post, local, ledger } = await start()
  const add = async (path: string, seed: string): Promise<string> =>
    String((await post(path, form({ content: noise(8_000, seed) }))).lines[0]!['Hash'])
  const unpinned = async (): Promise<number> => (await local.diskUse()).unpinnedBytes
  const [first, second] = [await add('add', 'a'), await add('add', 'b')]
  await post(`pin/add?arg=${first}`, { as: 'bob' })
  await post(`pin/rm?arg=${first}`)
  expect(await unpinned()).toBe(0)
  await post(`pin/rm?arg=${first}`, { as: 'bob' })
  expect(await unpinned()).toBe(8_192)
  const third = await add('add?pin=false', 'c')
  await post(`pin/update?arg=${second}&arg=${third}`)
  expect(await unpinned()).toBe(16_384)
  await local.collect(async function* () {
    yield* pinnedRoots(ledger)
    await post(`pin/rm?arg=${third}`)
  }, never)
  expect(await unpinned()).toBe(8_192)
  await local.collect(() => pinnedRoots(ledger), never)
  expect(await unpinned()).toBe(0)
})

test('content that lost its last pin with a call that failed counts, too', async () => {
  const memory = createMemoryPinLedger()
  const ledger: PinLedger = {
    ...memory,
    async put(project, pin, options) {
      const done = await memory.put(project, pin, options)
      // The other project unpins it meanwhile.
      if (project === 'bob') await memory.remove('alice', pin.cid)
      return done
    },
  }
  const { post, local } = await start({ ledger })
  const [line] = (await post('add', form({ content: noise(8_000, 'a') }))).lines
  const missing = String(cidOf(Buffer.from('missing')))
  expect((await post(`pin/add?arg=${String(line!['Hash'])}&arg=${missing}`, { as: 'bob' })).status).toBe(500)
  expect((await local.diskUse()).unpinnedBytes).toBe(8_192)
})

test('content that a pin was moved from counts, too, if the call ends in that moment', async () => {
  const clock = fakeClock(0)
  const memory = createMemoryPinLedger()
  const ledger: PinLedger = {
    ...memory,
    async replace(...args) {
      const done = await memory.replace(...args)
      clock.advance(1_000)
      return done
    },
  }
  const { post, local } = await start({ ledger, clock })
  const cids: string[] = []
  for (const path of ['add', 'add?pin=false']) {
    const [line] = (await post(path, form({ content: noise(8_000, path.slice(-1)) }))).lines
    cids.push(String(line!['Hash']))
  }
  const { text } = await post(`pin/update?arg=${cids[0]}&arg=${cids[1]}&timeout=1s`)
  expect(text).toContain('context deadline exceeded')
  // The one that is pinned was left, and counts until the next collection.
  expect((await local.diskUse()).unpinnedBytes).toBe(16_384)
  await local.collect(() => pinnedRoots(ledger), never)
  expect((await local.diskUse()).unpinnedBytes).toBe(0)
})

test('short blocks are charged as the disk blocks that they take', async () => {
  const { post, dir, ledger } = await start()
  const answer = await post('add?chunker=size-100&raw-leaves=true', form({ content: noise(10_000, 'a') }))
  expect(answer.status).toBe(200)
  const taken = await diskBytes(dir)
  expect(taken).toBeGreaterThan(400_000)
  expect((await ledger.usage('alice', '')).storedBytes).toBe(BigInt(taken))
  const [{ Hash: cid }] = answer.lines as [{ Hash: string }]
  await post(`pin/add?arg=${cid}`, { as: 'bob' })
  expect((await ledger.usage('bob', '')).storedBytes).toBe(BigInt(taken))
})

test.each(['add?chunker=size-16', 'add?chunker=size-16&only-hash=true', 'add?chunker=rabin-16-20-24&pin=false'])(
  'an upload of too many blocks is refused: %s',
  async (path) => {
    const { post, dir } = await start({ maxBlocks: 100 })
    const answer = await post(path, form({ content: noise(16_000, 'a') }))
    expect(answer.status).toBe(500)
    expect(answer.lines).toMatchObject([{ Message: expect.stringContaining('may have 100 blocks') }])
    expect(await blockFiles(dir)).toEqual([])
    expect((await post('add?chunker=rabin-18-256-512', form({ content: noise(16_000, 'a') }))).status).toBe(200)
  },
)

test('an import past the cap of blocks leaves nothing', async () => {
  const { post, dir } = await start({ maxBlocks: 100 })
  const other = await start()
  const added = await other.post('add?chunker=size-16', form({ content: noise(16_000, 'a') }))
  const car = (await other.post(`dag/export?arg=${(added.lines as [{ Hash: string }])[0].Hash}`)).bytes
  const answer = await post('dag/import', form({ content: car }))
  expect(answer.lines).toMatchObject([{ Message: expect.stringContaining('may have 100 blocks') }])
  expect(await blockFiles(dir)).toEqual([])
})

test('a body that breaks, and a caller who leaves or stalls, leave nothing', async () => {
  const { post, dir, port } = await start({ listener: { stallMs: 300 } })
  const { body, headers } = form({ content: noise(1_000_000, 'a') })
  const broken = await post('add', { body: body.subarray(0, 900_000), headers })
  expect(broken.status).toBe(500)
  expect(await blockFiles(dir)).toEqual([])
  for (const isLeft of [true, false]) {
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write(
      `POST /api/v0/add HTTP/1.1\r\nHost: h\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    socket.write(body.subarray(0, 900_000))
    await expect.poll(async () => (await blockFiles(dir)).length, { timeout: 10_000 }).toBeGreaterThan(0)
    if (isLeft) socket.destroy()
    await expect.poll(() => blockFiles(dir), { timeout: 10_000 }).toEqual([])
  }
})

test('a refused upload removes no block that another upload of the same content adds, or has added, or that is pinned', async () => {
  const { post, dir } = await start({ projects: [projectOf('alice', { storedBytes: 600_000n })] })
  const content = noise(1_000_000, 'a')
  const [mine, theirs] = await Promise.all([
    post('add', form({ content })),
    post('add', { ...form({ content }), as: 'bob' }),
  ])
  expect([mine.status, theirs.status]).toEqual([403, 200])
  const [{ Hash: cid }] = theirs.lines as [{ Hash: string }]
  expect((await post(`cat?arg=${cid}`)).text).toBe(content)
  // Its blocks are new no more, so that it costs nothing to add them, up to the pin.
  expect((await post('add', form({ content }))).status).toBe(403)
  expect((await post(`cat?arg=${cid}`)).text).toBe(content)
  expect(await diskBytes(dir)).toBeGreaterThan(1_000_000)
})

test('a pin whose row may be there keeps its blocks, even if the ledger says that it failed', async () => {
  const memory = createMemoryPinLedger()
  const ledger = {
    ...memory,
    async put(...args: Parameters<typeof memory.put>): ReturnType<typeof memory.put> {
      await memory.put(...args)
      throw new Error('the connection was lost before the answer came')
    },
  }
  const { post, dir } = await start({ ledger })
  expect((await post('add', form({ content: 'hello world' }))).status).toBe(500)
  expect(await blockFiles(dir)).toHaveLength(1)
})

test.each([900_000, 1_000_000])(
  'of ten uploads of %d bytes at once, those pass that fit into the quota, and the others leave nothing',
  async (bytes) => {
    const { post, ledger, dir } = await start({ projects: [projectOf('alice', { storedBytes: 3_145_728n })] })
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => post('add', form({ content: noise(bytes, String(at)) }))),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(7)
    const { storedBytes } = await ledger.usage('alice', '')
    expect(storedBytes).toBeLessThanOrEqual(3_145_728n)
    expect(await diskBytes(dir)).toBe(Number(storedBytes))
    // The room of those that were refused is free again.
    expect((await post('add', form({ content: noise(40_000, 'z') }))).status).toBe(200)
  },
)
