import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@wayleave/client'
import { ipfs as ipfsApi, type IpfsAdded, IpfsError, type IpfsPin } from '@wayleave/client/ipfs'
import { createLocalBackend } from '@wayleave/ipfs-http/local'
import { createIpfsHandler, createIpfsListener, createMemoryPinLedger } from '@wayleave/ipfs-http/server'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { apiKey, apiKeySecret, failure } from './helpers.ts'

const url = 'http://127.0.0.1:8545'
const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

let server: Server
let ipfsUrl: string
let close: () => Promise<void>

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'wayleave-client-ipfs-'))
  const backend = await createLocalBackend({ dir })
  const listener = createIpfsListener(createIpfsHandler({ backend, ledger: createMemoryPinLedger() }))
  server = createServer((request, response) => {
    if (request.headers.authorization === basic(apiKey, apiKeySecret)) {
      return void listener(request, response, { id: 'demo', hasBillingCard: true, quota: {} })
    }
    request.resume()
    response.writeHead(401).end('basic auth failure: invalid project id or project secret\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ipfsUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  close = async () => {
    server.closeAllConnections()
    server.close()
    await backend.close()
    await rm(dir, { recursive: true, force: true })
  }
})

afterAll(() => close())

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of source) items.push(item)
  return items
}

describe('client.ipfs', () => {
  it('adds, reads, lists and unpins content, and tells that it was proven', async () => {
    await using client = createClient({ url, apiKey, apiKeySecret, apis: { ipfs: ipfsApi({ url: ipfsUrl }) } })
    const { ipfs } = client
    const { cid, verification } = await ipfs.add('hello\n', { pinName: 'greeting' })
    expect({ cid, verification }).toEqual({
      cid: 'QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN',
      verification: 'proven',
    })
    const read = ipfs.cat(cid)
    expect(Buffer.from(await read.bytes()).toString()).toBe('hello\n')
    expect(await read.verification).toBe('proven')
    expect(Buffer.concat(await all(ipfs.cat(cid, { offset: 1, length: 3 }))).toString()).toBe('ell')
    expect(await new Response(ipfs.cat(cid).stream()).text()).toBe('hello\n')
    expect(await all<IpfsPin>(ipfs.pin.ls())).toEqual([{ cid, type: 'recursive', name: 'greeting' }])
    expect(await ipfs.pin.rm(cid)).toBe(cid)
    expect(await failure(ipfs.pin.rm(cid))).toMatchObject({ name: 'IpfsError', code: 'not_pinned' })
  })

  it('adds a directory, and walks it by get and ls, which a loop may leave early', async () => {
    await using client = createClient({ url, apiKey, apiKeySecret, apis: { ipfs: ipfsApi({ url: ipfsUrl }) } })
    const { ipfs } = client
    const added: IpfsAdded[] = await all(
      ipfs.addAll([
        { path: 'site/a.txt', content: 'a' },
        { path: 'site/b.txt', content: 'b' },
      ]),
    )
    expect(added.map(({ path }) => path)).toEqual(['site/a.txt', 'site/b.txt', 'site'])
    const root = added.at(-1)!.cid
    expect((await all(ipfs.ls(root))).map(({ name }) => name)).toEqual(['a.txt', 'b.txt'])
    const seen: string[] = []
    for await (const { path, type } of ipfs.get(root)) {
      seen.push(`${type} ${path}`)
      if (seen.length === 2) break
    }
    expect(seen).toEqual([`directory ${root}`, `file ${root}/a.txt`])
  })

  it('goes on with what it has begun when the client is closed; its signal ends that', async () => {
    const client = createClient({ url, apiKey, apiKeySecret, apis: { ipfs: ipfsApi({ url: ipfsUrl }) } })
    const sent = new Uint8Array(1 << 20).map((_, at) => at % 251)
    const { cid } = await client.ipfs.add(sent)
    const stop = new AbortController()
    const [kept, ended] = [client.ipfs.cat(cid), client.ipfs.cat(cid, { signal: stop.signal })].map((bytes) =>
      bytes[Symbol.asyncIterator](),
    ) as [AsyncIterator<Uint8Array>, AsyncIterator<Uint8Array>]
    const read = [(await kept.next()).value as Uint8Array]
    await ended.next()
    await client.close()
    for (let next = await kept.next(); !next.done; next = await kept.next()) read.push(next.value)
    expect(Buffer.concat(read).equals(sent)).toBe(true)
    stop.abort()
    expect(await failure(ended.next())).toMatchObject({ code: 'aborted' })
  })

  it.each(['a stream', 'an iterator'])('leaves a host that says no more, where its reader leaves %s', async (kind) => {
    const arrived = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const silent = createServer((request, response) => {
      request.resume()
      response.on('close', closed.resolve)
      response.write('x', () => arrived.resolve())
    }).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const at = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    await using client = createClient({ url, timeoutMs: 2 ** 31, apis: { ipfs: ipfsApi({ url: at }) } })
    const read = client.ipfs.cat('QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN')
    if (kind === 'a stream') {
      const reader = read.stream().getReader()
      const waiting = reader.read()
      await arrived.promise
      await reader.cancel()
      expect(await waiting).toEqual({ done: true, value: undefined })
    } else {
      const chunks = read[Symbol.asyncIterator]()
      const waiting = failure(chunks.next())
      await arrived.promise
      await chunks.return!()
      expect(await waiting).toMatchObject({ code: 'aborted' })
    }
    await closed.promise
    expect(await read.verification).toBe('unverified')
    silent.closeAllConnections()
    silent.close()
  })

  it('reads nothing where its reader leaves before the first read, or while the code for it loads', async () => {
    await using client = createClient({ url, apis: { ipfs: ipfsApi({ url: 'http://127.0.0.1:1' }) } })
    const [never, early] = [client.ipfs.cat('x'), client.ipfs.cat('x')]
    await never.stream().cancel()
    const reader = early.stream().getReader()
    const waiting = reader.read()
    await reader.cancel()
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(await Promise.all([never.verification, early.verification])).toEqual(['unverified', 'unverified'])
  })

  it('shows no secret that a host repeats, whatever reads its words', async () => {
    const { cid } = await createClient({
      url,
      apiKey,
      apiKeySecret,
      apis: { ipfs: ipfsApi({ url: ipfsUrl }) },
    }).ipfs.add(new Uint8Array(600_000))
    const spelled = Buffer.from(apiKeySecret).toString('hex')
    let blocks = 0
    const proxy = createServer((request, response) => {
      request.resume()
      if (request.url!.includes('dag/export')) return void response.writeHead(404).end('404 page not found')
      if (request.url!.includes('block/get') && ++blocks % 2 === 1) {
        return void fetch(ipfsUrl + request.url!, { method: 'POST', headers: request.headers as never }).then(
          async (answer) => response.end(Buffer.from(await answer.arrayBuffer())),
        )
      }
      response.writeHead(500, { 'content-type': 'application/json' }).end(`{"Message":"no ${spelled}","Code":0}`)
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    onTestFinished(() => void proxy.close().closeAllConnections())
    const at = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const { ipfs } = createClient({ url, apiKey, apiKeySecret, apis: { ipfs: ipfsApi({ url: at }) } })
    const plain = createClient({ url, apiKey, apiKeySecret, apis: { ipfs: ipfsApi({ url: at, verify: 'off' }) } }).ipfs
    const reads: readonly (() => Promise<unknown>)[] = [
      () => plain.cat(cid).bytes(),
      () => all(plain.cat(cid)),
      () => new Response(plain.cat(cid).stream()).text(),
      () => all(plain.get(cid)),
      async () => {
        for await (const { content } of ipfs.get(cid)) await all(content)
      },
    ]
    for (const read of reads) expect((await failure(read())).message).toMatch(/no \[redacted\]/)
  })

  it('keeps blocks and values', async () => {
    await using client = createClient({ url, apiKey, apiKeySecret, apis: { ipfs: ipfsApi({ url: ipfsUrl }) } })
    const { block, dag, version } = client.ipfs
    const put = await block.put(new Uint8Array([1, 2, 3]))
    expect(await block.get(put.cid)).toEqual(new Uint8Array([1, 2, 3]))
    expect(await block.stat(put.cid)).toMatchObject({ cid: put.cid, size: 3 })
    const value = await dag.put({ answer: 42 })
    expect(await dag.get(`${value}/answer`)).toBe(42)
    expect(await dag.resolve(`${value}/answer`)).toMatchObject({ cid: value })
    expect(await version()).toHaveProperty('Version')
  })

  it('hides neither a wrong secret nor that bytes are read twice, and never rejects their verification', async () => {
    await using client = createClient({ url, apiKey, apiKeySecret: 'wrong', apis: { ipfs: ipfsApi({ url: ipfsUrl }) } })
    const thrown = await failure(client.ipfs.add('hello'))
    expect(thrown).toBeInstanceOf(IpfsError)
    expect(thrown).toMatchObject({ code: 'http_status', status: 401 })
    const bytes = client.ipfs.cat('QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN')
    expect(await failure(bytes.bytes())).toMatchObject({ status: 401 })
    expect(await failure(bytes.bytes())).toMatchObject({ code: 'bad_argument' })
    expect(await bytes.verification).toBe('unverified')
  })

  it('asks port 5001 of the host with key and secret, unless ipfs({ url }) says otherwise; credentials in that go first', async () => {
    const seen: unknown[] = []
    vi.stubGlobal('fetch', async (target: string, { headers }: { headers: Record<string, string> }) => {
      seen.push([target, headers['authorization']])
      return new Response('{}')
    })
    try {
      const common = { apiKey: 'a', apiKeySecret: 'b' }
      await createClient({ url: 'wss://rpc.example.org/base?x', ...common, apis: { ipfs: ipfsApi() } }).ipfs.version()
      await createClient({ url: 'http://:c@[::1]:8545', apiKey: 'a', apis: { ipfs: ipfsApi() } }).ipfs.version()
      await createClient({
        url,
        ...common,
        apis: { ipfs: ipfsApi({ url: 'https://ipfs.example.org' }) },
      }).ipfs.version()
      await createClient({
        url,
        ...common,
        apis: { ipfs: ipfsApi({ url: 'https://d:e@ipfs.example.org' }) },
      }).ipfs.version()
      await createClient({
        url: 'http://d:e@127.0.0.1:8545',
        apis: { ipfs: ipfsApi({ url: 'http://127.0.0.1:5001' }) },
      }).ipfs.version()
    } finally {
      vi.unstubAllGlobals()
    }
    expect(seen).toEqual([
      ['https://rpc.example.org:5001/api/v0/version', basic('a', 'b')],
      ['http://[::1]:5001/api/v0/version', basic('a', 'c')],
      ['https://ipfs.example.org/api/v0/version', basic('a', 'b')],
      ['https://ipfs.example.org/api/v0/version', basic('d', 'e')],
      ['http://127.0.0.1:5001/api/v0/version', undefined],
    ])
  })

  it.each([
    ['without a key', { url }],
    ['without a secret', { url, apiKey }],
  ])('%s and without a URL of IPFS throws at the first call, and says what is missing', async (_what, options) => {
    await using client = createClient({ ...options, apis: { ipfs: ipfsApi() } })
    const thrown = await failure(client.ipfs.version())
    expect(thrown).toBeInstanceOf(TypeError)
    expect(thrown.message).toBe(
      'ipfs: needs apiKey, and apiKeySecret or token, of a gateway, or another host: ipfs({ url })',
    )
    expect(await failure(all(client.ipfs.pin.ls()))).toBeInstanceOf(TypeError)
    const bytes = client.ipfs.cat('QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN')
    expect(await failure(bytes.bytes())).toBeInstanceOf(TypeError)
    expect(await bytes.verification).toBe('unverified')
  })

  it.each(['off', 'proven'] as const)('takes the level of verify: %s', async (verify) => {
    await using client = createClient({ url, apiKey, apiKeySecret, apis: { ipfs: ipfsApi({ url: ipfsUrl, verify }) } })
    const added = client.ipfs.add('hello', { cidVersion: 1, hash: 'sha2-512' })
    if (verify === 'off') expect((await added).verification).toBe('unverified')
    else expect(await failure(added)).toMatchObject({ code: 'unverified' })
  })
})
