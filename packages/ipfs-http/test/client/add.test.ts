import { createCipheriv, createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createIpfsClient, type IpfsAddOptions } from '../../src/index.ts'
import { allOf, readParts, startTestHost } from './test-host.ts'

interface FileVector {
  readonly name: string
  readonly content: {
    readonly text?: string
    readonly b64?: string
    readonly repeat?: readonly [string, number]
    readonly zeros?: number
    readonly chacha?: readonly [string, number]
  }
  readonly query: Readonly<Record<string, string>>
  readonly cid?: string | null
}

const vectors = JSON.parse(readFileSync(new URL('../vectors/cid-vectors.json', import.meta.url), 'utf8')) as {
  files: FileVector[]
}
const supported = ['cid-version', 'raw-leaves', 'chunker', 'trickle']
const files = vectors.files.filter(
  ({ query, cid, content }) =>
    cid != null && (content.chacha?.[1] ?? 0) < 2 ** 24 && Object.keys(query).every((name) => supported.includes(name)),
)

function bytesOf({ text, b64, repeat, zeros, chacha }: FileVector['content']): Uint8Array {
  if (text !== undefined) return Buffer.from(text)
  if (b64 !== undefined) return Buffer.from(b64, 'base64')
  if (repeat !== undefined) return Buffer.from(repeat[0].repeat(repeat[1]))
  if (zeros !== undefined) return Buffer.alloc(zeros)
  const key = createHash('sha256').update(chacha![0]).digest()
  return createCipheriv('chacha20', key, Buffer.alloc(16)).update(Buffer.alloc(chacha![1]))
}

function optionsOf(query: Readonly<Record<string, string>>): IpfsAddOptions {
  return {
    cidVersion: query['cid-version'] === '1' ? 1 : 0,
    rawLeaves: query['raw-leaves'] === undefined ? undefined : query['raw-leaves'] === 'true',
    chunker: query['chunker'],
    trickle: query['trickle'] === undefined ? undefined : true,
  }
}

describe('add', () => {
  it.each(files)('proves the CID of: $name', async ({ content, query, cid }) => {
    await using host = await startTestHost()
    const client = createIpfsClient({ url: host.url, verify: 'proven' })
    expect(await client.add(bytesOf(content), optionsOf(query))).toMatchObject({ cid, verification: 'proven' })
  })

  it.each([
    ['a string', 'hello world'],
    ['bytes', new TextEncoder().encode('hello world')],
    ['a Blob', new Blob(['hello ', 'world'])],
    ['a stream', new Blob(['hello world']).stream()],
    ['an iterable', [new TextEncoder().encode('hello '), new TextEncoder().encode('world')]],
  ])('takes %s, streamed and buffered', async (_, input) => {
    await using host = await startTestHost()
    const cid = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'
    const client = createIpfsClient({ url: host.url })
    expect(await client.add(input)).toEqual({ cid, path: cid, size: 19, verification: 'proven' })
    if (input instanceof ReadableStream) return
    const browser = createIpfsClient({ url: host.url, uploads: 'buffer' })
    expect(await browser.add(input)).toEqual({ cid, path: cid, size: 19, verification: 'proven' })
  })

  it('keeps the name of a File, and wraps it in a directory', async () => {
    await using host = await startTestHost()
    const client = createIpfsClient({ url: `${host.url}/api/v0/` })
    const added = await client.add(new File(['hello, world!'], 'foo'), { wrapWithDirectory: true })
    expect(added).toMatchObject({
      cid: 'QmVE9rNpj5doj7XHzp5zMUxD7BJgXEqx4pe3xZ3JBReWHE',
      path: '',
      verification: 'proven',
    })
  })

  it('tells children before parents, and the root last', async () => {
    await using host = await startTestHost()
    const client = createIpfsClient({ url: host.url })
    const entries = [
      { path: 't/abc/def', content: 'world' },
      { path: './t/bar', content: 'hello2' },
      { path: '/t/foo', content: 'hello1' },
      { path: 't/none' },
      { path: 't/link', target: 'bar' },
    ]
    const added = await allOf(client.addAll(entries.slice(0, 3)))
    expect(added.map(({ path }) => path)).toEqual(['t/abc/def', 't/bar', 't/foo', 't/abc', 't'])
    expect(added.at(-1)).toMatchObject({
      cid: 'QmVG2ZYCkV1S4TK8URA3a4RupBF17A8yAr4FqsRDXVJASr',
      verification: 'proven',
    })
    const more = await allOf(client.addAll(entries))
    expect(more.at(-1)).toMatchObject({ path: 't' })
    expect(host.parts.at(-1)).toMatchObject({ type: 'application/symlink', bytes: Buffer.from('bar') })
  })

  it.each([
    ['a/b/c', false, 'a'],
    ['a/b', true, ''],
  ])('tells the root of %s, in whatever order the host tells of it', async (path, wrapWithDirectory, root) => {
    await using honest = await startTestHost()
    const entry = { path, content: 'x' }
    const added = await allOf(createIpfsClient({ url: honest.url }).addAll([entry], { wrapWithDirectory }))
    await using host = await startTestHost(async ({ path: call, request, response }) => {
      if (call !== 'add') return false
      await readParts(request)
      for (const { path: Name, cid: Hash } of added.toReversed()) {
        response.write(`${JSON.stringify({ Name, Hash, Size: '1' })}\n`)
      }
      response.end()
      return true
    })
    const { cid } = added.at(-1)!
    const one = await createIpfsClient({ url: host.url }).add(entry, { wrapWithDirectory, pin: false })
    expect(one).toMatchObject({ path: root, cid, verification: 'proven' })
  })

  it('takes as many empty directories as a host tells of', async () => {
    await using host = await startTestHost(async ({ path, request, response }) => {
      if (path !== 'add') return false
      request.resume()
      await once(request, 'end')
      for (let at = 0; at < 10_002; at++) response.write(`{"Name":"d/${at}","Hash":"Qm","Size":"4"}\n`)
      response.end('{"Name":"d","Hash":"Qm","Size":"4"}\n')
      return true
    })
    const directories = Array.from({ length: 10_002 }, (_, at) => ({ path: `d/${at}` }))
    const added = await allOf(createIpfsClient({ url: host.url, verify: 'off' }).addAll(directories, { pin: false }))
    expect(added).toHaveLength(10_003)
  })

  it.each([
    ['a number', 1],
    ['null', null],
    ['an ArrayBuffer', new ArrayBuffer(3)],
    ['a promise', Promise.resolve('x')],
    ['a Response', new Response('x')],
    ['an entry whose content is null', { path: 'x', content: null }],
    ['an iterable of strings', ['x']],
  ])('says of %s that it is no content', async (_, input) => {
    await using host = await startTestHost()
    for (const uploads of ['stream', 'buffer'] as const) {
      const adding = createIpfsClient({ url: host.url, uploads }).add(input as never)
      await expect(adding).rejects.toMatchObject({ code: 'bad_argument' })
    }
  })

  it('says unverified for what cannot be computed here, and refuses it where a proof is asked for', async () => {
    await using host = await startTestHost()
    const client = createIpfsClient({ url: host.url })
    const result = client.add({ content: 'x', mode: 0o600 })
    expect(await result).toMatchObject({ verification: 'unverified' })
    expect(host.parts[0]).toMatchObject({ field: 'file?mode=0600' })
    const calls = host.calls.length
    await expect(client.add('x', { hash: 'sha2-512', verify: 'proven' })).rejects.toMatchObject({ code: 'unverified' })
    expect(host.calls.length).toBe(calls)
  })

  it('tells how far it is', async () => {
    await using host = await startTestHost()
    const seen: (number | undefined)[][] = []
    await createIpfsClient({ url: host.url }).add(new Uint8Array(600_000), {
      onProgress: (...progress) => seen.push(progress),
    })
    expect(seen.at(-1)).toEqual([600_000, 600_000])
    expect(seen.length).toBeGreaterThan(2)
  })

  it.each(['../x', 'a/../../x', 'a/..'])('refuses the path %s before anything is sent', async (path) => {
    await using host = await startTestHost()
    const adding = createIpfsClient({ url: host.url }).add({ path, content: 'x' })
    await expect(adding).rejects.toMatchObject({ code: 'bad_argument' })
  })

  it('hands on what the source throws, and ends the request', async () => {
    await using host = await startTestHost()
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(100)
      throw new RangeError('the disk is gone')
    }
    const adding = createIpfsClient({ url: host.url }).add(broken())
    await expect(adding).rejects.toThrow(new RangeError('the disk is gone'))
  })
})
