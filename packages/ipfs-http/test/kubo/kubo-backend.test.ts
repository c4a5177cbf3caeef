import { type AddressInfo, createServer } from 'node:net'
import { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import type { AddEntry, AddOptions, BackendCall } from '../../src/backend.ts'
import type { IpfsError } from '../../src/error.ts'
import { createKuboBackend } from '../../src/kubo/index.ts'
import { fakeClock } from '../server/fake-clock.ts'
import { all, form, serve } from '../server/serve.ts'
import { fakeKubo, refuse } from './fake-kubo.ts'

const hello = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'
const cid = CID.parse(hello)
const path = { cid, segments: [] }
const whole = { offset: 0n, length: undefined }
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function call(): BackendCall & { readonly end: () => void } {
  const controller = new AbortController()
  return { signal: controller.signal, end: () => controller.abort() }
}

async function failureOf(work: Promise<unknown>): Promise<Pick<IpfsError, 'code' | 'message'>> {
  const { code, message } = await work.then(
    () => expect.fail('it succeeded'),
    (thrown: IpfsError) => thrown,
  )
  return { code, message }
}

test.each([
  [500, 'this dag node is a directory', 'is_directory'],
  [500, 'no link named "x" under Qm', 'not_found'],
  [500, 'invalid path "foo": path does not have enough components', 'bad_argument'],
  [500, 'something new', 'http_status'],
])('a refusal with %i and "%s" keeps its words', async (status, message, code) => {
  const { backend } = await fakeKubo((_, response) => refuse(response, message, status))
  expect(await failureOf(backend.cat(path, whole, call()))).toEqual({ code, message })
})

test('a refusal of another status is told by it alone, and no error holds the credentials of the URL', async () => {
  const { backend, asked } = await fakeKubo((_, response) => refuse(response, 'user:S3CR3T', 401), 'user:S3CR3T@')
  const failure = await failureOf(backend.version(call()))
  expect(failure).toEqual({ code: 'http_status', message: 'the IPFS node refused with HTTP 401' })
  expect(asked).toEqual(['version?'])
})

test('a node that is away, or leaves in the middle of a refusal, is told so', async () => {
  const backend = createKuboBackend({ url: 'http://user:S3CR3T@127.0.0.1:1' })
  const away = { code: 'connect', message: 'the IPFS node cannot be reached' }
  expect(await failureOf(backend.id(call()))).toEqual(away)
  await backend.close()
  const leaving = await fakeKubo((_, response) => {
    response.writeHead(500).write('{"Mess')
    setImmediate(() => response.destroy())
  })
  const broken = { code: 'truncated', message: 'the IPFS node broke off its answer' }
  expect(await failureOf(leaving.backend.id(call()))).toEqual(broken)
})

test('content that breaks off, or ends with an error in the trailer, throws after its bytes', async () => {
  const { backend } = await fakeKubo((request, response) => {
    response.writeHead(200, { 'X-Content-Length': '9', Trailer: 'X-Stream-Error' })
    response.write('begun')
    if (request.url!.includes('offset=1')) return void setImmediate(() => response.destroy())
    response.addTrailers({ 'X-Stream-Error': 'block was not found' })
    response.end()
  })
  const told = await backend.cat(path, whole, call())
  expect(told.size).toBe(9n)
  expect(await failureOf(all(told.bytes))).toEqual({ code: 'not_found', message: 'block was not found' })
  const cut = await backend.cat(path, { ...whole, offset: 1n }, call())
  expect((await failureOf(all(cut.bytes))).code).toBe('truncated')
})

test('content that nobody reads is ended by the signal, and with it the connection', async () => {
  const { backend, cut } = await fakeKubo((_, response) => {
    response.writeHead(200, { 'X-Content-Length': '100000000' }).write(Buffer.alloc(10_000_000))
  })
  const reading = call()
  await backend.cat(path, whole, reading)
  reading.end()
  while (cut() === 0) await turn()
})

test('a server that gives up a call leaves no connection of it to the node', async () => {
  const { backend, cut } = await fakeKubo((request, response) => {
    if (request.url!.includes('none')) return refuse(response, 'no link named "none"')
    response.writeHead(200, { 'X-Content-Length': '100000000' }).write(Buffer.alloc(10_000_000))
  })
  const { post } = await serve({ backend })
  expect((await post(`cat?arg=${hello}&arg=${hello}/none`)).status).toBe(500)
  while (cut() === 0) await turn()
})

test.each([
  ['no answer at all', ''],
  ['no JSON', 'hello\n'],
  ['no object', '5\n'],
  ['a number that is none', `{"Key":"${hello}","Size":"many"}\n`],
  ['a CID that is none', '{"Cid":{"/":"nothing"}}\n{"Key":"nothing"}\n'],
])('%s is an invalid response', async (_what, body) => {
  const { backend } = await fakeKubo((request, response) => {
    request.resume()
    response.end(body)
  })
  expect((await failureOf(backend.resolve(path, call()))).code).toBe('invalid_response')
  const shape = { version: 1, codec: 'raw', hash: 'sha2-256' } as const
  if (!body.includes('many')) {
    expect((await failureOf(backend.putBlock(Buffer.from('x'), shape, call()))).code).toBe('invalid_response')
  }
  expect((await failureOf(all(backend.hold(cid, { recursive: false }, call())))).code).toBe('invalid_response')
})

test('a direct pin is held where the node holds all of it already, and any pin is forgotten', async () => {
  const { backend, asked } = await fakeKubo((request, response) => {
    if (request.url!.includes('pin/add')) return refuse(response, `pin: ${hello} already pinned recursively`)
    if (request.url!.includes('pin/rm')) return refuse(response, 'not pinned or pinned indirectly')
    response.end('{"Size":19,"UniqueBlocks":1,"TotalSize":19}\n')
  })
  expect(await all(backend.hold(cid, { recursive: false }, call()))).toEqual([{ blocks: 1, bytes: 19n, whole: true }])
  expect((await failureOf(all(backend.hold(cid, { recursive: true }, call())))).message).toContain('already pinned')
  asked.length = 0
  await backend.release(cid, { recursive: false }, call())
  expect(asked).toEqual([`pin/rm?arg=${hello}&recursive=true`])
})

const options: AddOptions = {
  cidVersion: 0,
  hash: 'sha2-256',
  chunker: 'size-262144',
  rawLeaves: false,
  trickle: false,
  inline: false,
  inlineLimit: 32,
  wrapWithDirectory: false,
  pin: true,
  onlyHash: false,
  preserveMode: false,
  preserveMtime: false,
  progress: false,
}

async function* oneFile(content: AsyncIterable<Uint8Array>): AsyncGenerator<AddEntry> {
  yield { type: 'file', path: '', content }
}

test('a node that refuses an upload before its end is heard, and the rest of it is not asked for', async () => {
  const { backend } = await fakeKubo((_, response) => refuse(response, 'the disk is full'))
  let chunks = 0
  const adding = call()
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (; !adding.signal.aborted; chunks++) {
      yield new Uint8Array(65_536)
      await turn()
    }
  }
  const failure = failureOf(all(backend.add(oneFile(endless()), options, adding)))
  expect(await failure).toEqual({ code: 'http_status', message: 'the disk is full' })
  adding.end()
  const asked = chunks
  await turn()
  await turn()
  expect(chunks).toBeLessThanOrEqual(asked + 1)
})

test('an upload that breaks off hears what the node has pinned, and ends with the reason of the caller', async () => {
  const line = `{"Name":"a","Hash":"${hello}","Size":"19"}\n`
  let began = (): void => {}
  const beginning = new Promise<void>((resolve) => {
    began = resolve
  })
  // As Kubo does, and no server of Node: it answers after the other side has ended in the middle of its request.
  const node = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('data', began)
    socket.on('end', () =>
      socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${line.length}\r\n\r\n${line}`),
    )
  })
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  const backend = createKuboBackend({ url: `http://127.0.0.1:${(node.address() as AddressInfo).port}` })
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('begun')
    await beginning
    throw new Error('the caller left')
  }
  const told: string[] = []
  const adding = (async () => {
    for await (const { type } of backend.add(oneFile(broken()), options, call())) told.push(type)
  })()
  await expect(adding).rejects.toThrow('the caller left')
  expect(told).toEqual(['added', 'root'])
  await backend.close()
  node.close()
})

test('a node that says nothing more of an upload that broke off is left after a while', async () => {
  const clock = fakeClock()
  const ended: Promise<unknown>[] = []
  const { url } = await fakeKubo((request) => {
    request.socket.allowHalfOpen = true
    ended.push(new Promise((resolve) => request.socket.on('close', resolve)))
    request.resume().on('error', () => {})
  })
  const backend = createKuboBackend({ url, clock })
  const adding = call()
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('begun')
    while (ended.length === 0) await turn()
    adding.end()
    await new Promise(() => {})
  }
  const failure = failureOf(all(backend.add(oneFile(broken()), options, adding)))
  await clock.waiting()
  clock.advance(5_000)
  expect(await failure).toEqual({ code: 'aborted', message: 'the call was ended' })
  await ended[0]
  await backend.close()
})

test('of an upload with several roots each is pinned, since Kubo tells some that it does not pin', async () => {
  const other = 'QmZgXVXib4PvwtBHSMY489VJAX8x6Gc3ZZghA8R1qBJ5VF'
  let count = 2
  const { backend, asked } = await fakeKubo(async (request, response) => {
    for await (const _ of request) continue
    if (request.url!.includes('pin/add')) return void response.end('{"Pins":[]}\n')
    const lines = [hello, other].map((hash) => `{"Name":"a","Hash":"${hash}","Size":"19"}\n`)
    response.end(lines.slice(0, count).join(''))
  })
  async function* content(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('x')
  }
  await all(backend.add(oneFile(content()), options, call()))
  expect(asked.slice(1)).toEqual([`pin/add?arg=${hello}`, `pin/add?arg=${other}`])
  asked.length = 0
  count = 1
  await all(backend.add(oneFile(content()), options, call()))
  expect(asked).toHaveLength(1)
})

test('a file without a name is named by its CID where a directory wraps it', async () => {
  const wrapper = 'QmZgXVXib4PvwtBHSMY489VJAX8x6Gc3ZZghA8R1qBJ5VF'
  const { backend } = await fakeKubo(async (request, response) => {
    for await (const _ of request) continue
    response.end(
      `{"Name":"${hello}","Hash":"${hello}","Size":"19"}\n${new URL(request.url!, 'http://x').searchParams.get('wrap-with-directory') === 'true' ? `{"Name":"","Hash":"${wrapper}","Size":"79"}\n` : ''}`,
    )
  })
  const { post } = await serve({ backend })
  const file = form({ file: '', content: 'hello world' })
  expect((await post('add?pin=false', file)).lines).toMatchObject([{ Name: hello, Hash: hello }])
  const wrapped = await post('add?pin=false&w=true', file)
  expect(wrapped.lines).toMatchObject([
    { Name: hello, Hash: hello },
    { Name: '', Hash: wrapper },
  ])
})

test.each(['', 'localhost', 'ftp://x', 'http://%zz@x'])('the URL %j is refused', (url) => {
  expect(() => createKuboBackend({ url })).toThrow('url: expected the http or https URL of a Kubo RPC')
})
