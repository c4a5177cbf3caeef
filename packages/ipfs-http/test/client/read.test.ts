import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createIpfsClient, type IpfsBytes, type IpfsClient } from '../../src/index.ts'
import { allOf, refuse, startTestHost, type TestHost } from './test-host.ts'

const bytes = Buffer.alloc(3_000_000, 'not all of these chunks are alike, as 262,144 is no multiple of sixty-nine')
const sha = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** Hosts by what they have of the calls that give blocks. */
const kinds: readonly (readonly [string, readonly string[]])[] = [
  ['dag/export', []],
  ['block/get alone', ['dag/export']],
]

async function start(lacks: readonly string[] = []): Promise<{ host: TestHost; client: IpfsClient } & AsyncDisposable> {
  const host = await startTestHost(
    ({ path, response }) => lacks.includes(path) && refuse(response, 404, '404 page not found', 'text'),
  )
  return { host, client: createIpfsClient({ url: host.url }), [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() }
}

async function readAll(read: IpfsBytes): Promise<{ digest: string; verification: string }> {
  return { digest: sha(await read.bytes()), verification: await read.verification }
}

describe.each(kinds)('cat, from a host with %s', (_, lacks) => {
  it.each([
    ['CIDv0', { cidVersion: 0 }],
    ['CIDv1 with raw leaves', { cidVersion: 1 }],
    ['two layers', { cidVersion: 0, chunker: 'size-4096' }],
  ] as const)('proves a file: %s', async (_name, options) => {
    await using peer = await start(lacks)
    const { host, client } = peer
    const { cid } = await client.add(bytes, options)
    expect(await readAll(client.cat(cid))).toEqual({ digest: sha(bytes), verification: 'proven' })
    expect(host.calls).not.toContain('cat')
  })

  it('proves a range, and asks for no more blocks than it needs', async () => {
    await using peer = await start(lacks)
    const { host, client } = peer
    const { cid } = await client.add(bytes)
    const before = host.calls.length
    const range = await client.cat(cid, { offset: 1_000_000, length: 100_000 }).bytes()
    expect(sha(range)).toBe(sha(bytes.subarray(1_000_000, 1_100_000)))
    expect(host.calls.slice(before)).toEqual(['block/get', 'block/get', 'block/get'])
    expect(await client.cat(cid, { offset: 5_000_000 }).bytes()).toEqual(new Uint8Array(0))
    expect(sha(await client.cat(cid, { offset: 2_999_990 }).bytes())).toBe(sha(bytes.subarray(2_999_990)))
  })

  it.each([
    { offset: -1 },
    { offset: 0.5 },
    { offset: NaN },
    { length: -1 },
    { length: NaN },
    { length: '3' as never },
  ])('refuses the range %j', async (range) => {
    await using peer = await start(lacks)
    const { cid } = await peer.client.add('some bytes')
    await expect(peer.client.cat(cid, range).bytes()).rejects.toMatchObject({ code: 'bad_argument' })
  })

  it('proves a file whose chunks are all the same, which an archive holds once', async () => {
    await using peer = await start(lacks)
    const { client } = peer
    const { cid } = await client.add(new Uint8Array(3_000_000))
    expect(await readAll(client.cat(cid))).toEqual({ digest: sha(Buffer.alloc(3_000_000)), verification: 'proven' })
  })

  it('follows a path through directories', async () => {
    await using peer = await start(lacks)
    const { client } = peer
    const all = await allOf(
      client.addAll([
        { path: 'd/a/b c', content: 'deep' },
        { path: 'd/e', content: 'x' },
      ]),
    )
    const root = all.at(-1)!.cid
    for (const path of [`${root}/a/b c`, `/ipfs/${root}/a/b c`, `ipfs://${root}/a/b c`]) {
      expect(Buffer.from(await client.cat(path).bytes()).toString()).toBe('deep')
    }
    await expect(client.cat(`${root}/a/z`).bytes()).rejects.toMatchObject({ code: 'not_found' })
    await expect(client.cat(root).bytes()).rejects.toMatchObject({ code: 'is_directory' })
  })

  it('reads and lists a sharded directory', async () => {
    await using peer = await start(lacks)
    const { host, client } = peer
    const names = Array.from({ length: 400 }, (_name, i) => `file-${i}.txt`)
    const entries = names.map((name) => ({ path: `d/${name}`, content: Buffer.from(name) }))
    const root = await host.store(entries, { shardSplitThresholdBytes: 1000 })
    const links = await allOf(client.ls(root))
    expect(links.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
    expect(Buffer.from(await client.cat(`${root}/file-377.txt`).bytes()).toString()).toBe('file-377.txt')
    await expect(client.cat(`${root}/file-400.txt`).bytes()).rejects.toMatchObject({ code: 'not_found' })
  })

  it('gets a directory with all that is below it', async () => {
    await using peer = await start(lacks)
    const { host, client } = peer
    const root = await host.store([
      { path: 'd/a', content: bytes },
      { path: 'd/link', link: 'a' },
      { path: 'd/e/empty', content: new Uint8Array(0) },
    ])
    const seen: unknown[] = []
    for await (const { path, type, size, content, target, verification } of client.get(root)) {
      const chunks = await allOf(content)
      expect(verification).toBe('proven')
      seen.push([path, type, size, target, sha(Buffer.concat(chunks)) === sha(bytes)])
    }
    expect(seen).toEqual([
      [root, 'directory', 0, undefined, false],
      [`${root}/a`, 'file', bytes.byteLength, undefined, true],
      [`${root}/e`, 'directory', 0, undefined, false],
      [`${root}/e/empty`, 'file', 0, undefined, false],
      [`${root}/link`, 'symlink', 0, 'a', false],
    ])
  })

  it('frees the request of a reader who leaves', async () => {
    await using peer = await start(lacks)
    const { client } = peer
    const { cid } = await client.add(bytes)
    for await (const chunk of client.cat(cid)) {
      expect(chunk.byteLength).toBeGreaterThan(0)
      break
    }
    expect((await client.cat(cid, { length: 3 }).bytes()).byteLength).toBe(3)
  })
})

describe('cat, from a host that gives no blocks', () => {
  const lacks = ['dag/export', 'block/get']

  it('proves what is one raw block before it is handed out', async () => {
    await using peer = await start(lacks)
    const { client } = peer
    const { cid } = await client.add('one block', { cidVersion: 1 })
    expect(await readAll(client.cat(cid, { verify: 'proven' }))).toEqual({
      digest: sha(Buffer.from('one block')),
      verification: 'proven',
    })
  })

  it.each([{ cidVersion: 0 }, { cidVersion: 1 }] as const)(
    'finds content of usual options consistent: %j',
    async (options) => {
      await using peer = await start(lacks)
      const { client } = peer
      const { cid } = await client.add(bytes, options)
      expect(await readAll(client.cat(cid))).toEqual({ digest: sha(bytes), verification: 'consistent' })
    },
  )

  it('says unverified for content of other options, unless it is told them', async () => {
    await using peer = await start(lacks)
    const { client } = peer
    const addedWith = { chunker: 'size-100000' }
    const { cid } = await client.add(bytes, addedWith)
    expect(await readAll(client.cat(cid))).toEqual({ digest: sha(bytes), verification: 'unverified' })
    expect(await readAll(client.cat(cid, { addedWith }))).toEqual({ digest: sha(bytes), verification: 'consistent' })
  })

  it('refuses what needs a proof before the first byte', async () => {
    await using peer = await start(lacks)
    const { host, client } = peer
    const { cid } = await client.add(bytes)
    await expect(client.cat(cid, { verify: 'proven' }).bytes()).rejects.toMatchObject({ code: 'unverified' })
    expect(host.calls).not.toContain('cat')
    await expect(allOf(client.get(cid, { verify: 'proven' }))).rejects.toMatchObject({ code: 'unverified' })
    await expect(allOf(client.ls(cid, { verify: 'proven' }))).rejects.toMatchObject({ code: 'unverified' })
  })

  it('asks once whether blocks are to be had', async () => {
    await using peer = await start(lacks)
    const { host, client } = peer
    const { cid } = await client.add(bytes, { pin: false })
    await client.cat(cid).bytes()
    await client.cat(cid).bytes()
    expect(host.calls).toEqual(['add', 'block/stat', 'dag/export', 'block/get', 'cat', 'cat'])
  })
})

describe('bytes', () => {
  it('are read once, whole or as a stream, up to a bound', async () => {
    await using peer = await start()
    const { client } = peer
    const { cid } = await client.add(bytes)
    const read = client.cat(cid)
    expect(sha(new Uint8Array(await new Response(read.stream()).arrayBuffer()))).toBe(sha(bytes))
    await expect(read.bytes()).rejects.toMatchObject({ code: 'bad_argument' })
    await expect(client.cat(cid).bytes(1000)).rejects.toMatchObject({ code: 'too_large' })
    let last = 0
    for await (const chunk of client.cat(cid, { verify: 'off', onProgress: (progress) => (last = progress) }))
      void chunk
    expect(last).toBe(bytes.byteLength)
  })
})
