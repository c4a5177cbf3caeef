import { inspect } from 'node:util'
import { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import type { BackendCall } from '../../src/backend.ts'
import type { IpfsError } from '../../src/error.ts'
import { createKuboBackend } from '../../src/kubo/index.ts'
import { all, serve } from '../server/serve.ts'
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
  const { backend, asked } = await fakeKubo((_, response) => refuse(response, 'user:S3CR3T', 401), {
    credentials: 'user:S3CR3T@',
  })
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
  const reported = await backend.cat(path, whole, call())
  expect(reported.size).toBe(9n)
  expect(await failureOf(all(reported.bytes))).toEqual({ code: 'not_found', message: 'block was not found' })
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

test('a refusal that is no message of a node, such as a page, is told by its status alone', async () => {
  const bodies = ['<html><h1>Bad gateway of 10.0.0.7</h1></html>', '', '{"error":"x"}', '{"Message":{"a":1}}']
  for (const status of [500, 400, 502]) {
    for (const body of bodies) {
      const { backend } = await fakeKubo((_, response) => response.writeHead(status).end(body))
      const message = `the IPFS node refused with HTTP ${status}`
      expect(await failureOf(backend.version(call()))).toEqual({ code: 'http_status', message })
    }
  }
})

test('a redirect is refused, and nobody is sent there', async () => {
  const { backend, url, asked } = await fakeKubo((request, response) => {
    request.resume()
    response.writeHead(307, { Location: `${url}/elsewhere` }).end()
  })
  const failure = { code: 'http_status', message: 'the IPFS node refused with HTTP 307' }
  expect(await failureOf(backend.cat(path, whole, call()))).toEqual(failure)
  expect(asked).toHaveLength(1)
})

test('a page in the place of content, such as that of a login, is an invalid response', async () => {
  const { backend } = await fakeKubo((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'X-Content-Length': '9' }).end('<!doctype')
  })
  for (const work of [
    backend.cat(path, whole, call()),
    backend.get(path, 'x', call()),
    backend.exportCar(cid, call()),
  ]) {
    expect(await failureOf(work)).toMatchObject({ code: 'invalid_response' })
  }
})

test.each(['', '/', '/api/v0', '/behind/a/proxy/api/v0/'])('the URL may end in %j', async (end) => {
  const { backend, asked } = await fakeKubo((_, response) => response.end('{"Version":"0.41.0"}\n'), { path: end })
  expect(await backend.version(call())).toEqual({ Version: '0.41.0' })
  expect(asked[0]!.replace('/behind/a/proxy', '')).toBe('version?')
})

test('content that ends early without an error, as where a proxy drops the trailer, throws after its bytes', async () => {
  const { backend } = await fakeKubo((_, response) => {
    response.writeHead(200, { 'X-Content-Length': '9' }).end('begun')
  })
  const { bytes } = await backend.cat(path, whole, call())
  expect(await failureOf(all(bytes))).toEqual({ code: 'truncated', message: 'the IPFS node left out the last 4 bytes' })
})

test('no credentials come back in what a node says: a refusal, a line, a trailer, or the causes of an error', async () => {
  const said = ['user:S3CR3T%21', 'S3CR3T!', `Basic ${btoa('user:S3CR3T!')}`]
  for (const secret of said) {
    for (const way of ['refusal', 'line', 'trailer', 'text']) {
      const { backend } = await fakeKubo(
        (_, response) => {
          if (way === 'refusal') return refuse(response, `who is ${secret}?`)
          if (way === 'text') return response.writeHead(400).end(`who is ${secret}?`)
          if (way === 'line') return response.end(`{"Message":"who is ${secret}?","Type":"error"}\n`)
          response.writeHead(200, { Trailer: 'X-Stream-Error' }).write('{"ID":"x"}\n')
          response.addTrailers({ 'X-Stream-Error': `who is ${secret}?` })
          return response.end()
        },
        { credentials: 'user:S3CR3T%21@' },
      )
      const thrown = await backend.id(call()).catch((error: unknown) => error)
      const text = inspect(thrown, { depth: null, showHidden: true })
      expect(text).toContain('who is')
      expect(text).not.toContain('S3CR3T')
      expect(text).not.toContain(btoa('user:S3CR3T!'))
    }
  }
})

test.each(['', 'localhost', 'ftp://x', 'http://%zz@x', 'http://x?token=S3CR3T'])('the URL %j is refused', (url) => {
  expect(() => createKuboBackend({ url })).toThrow('url: expected the http or https URL of a Kubo RPC')
})

test('a DAG without a byte is held: the sum of its sizes is one that Kubo cannot print', async () => {
  const empty = CID.parse('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')
  const { backend, asked } = await fakeKubo((request, response) => {
    if (request.url!.includes('pin/add')) return response.end(`{"Progress":1}\n{"Pins":["${empty}"]}\n`)
    if (request.url!.includes('block/stat')) return response.end(`{"Key":"${empty}","Size":0}\n`)
    // Recorded from Kubo 0.41.
    response.writeHead(200, { Trailer: 'X-Stream-Error' })
    response.write(`{"DagStats":[{"Cid":"${empty}","NumBlocks":1}]}\n`)
    response.addTrailers({ 'X-Stream-Error': 'json: unsupported value: NaN' })
    return response.end()
  })
  expect(await all(backend.hold(empty, { recursive: true }, call()))).toEqual([
    { blocks: 1, bytes: 0n, whole: false },
    { blocks: 1, bytes: 0n, whole: true },
  ])
  expect(asked.at(-1)).toBe(`block/stat?arg=${empty}`)
})

test('only a block that this process put, and that was not there before, is removed, and by its project alone', async () => {
  const stored = new Map<string, string>()
  const { backend, asked } = await fakeKubo((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://x')
    const arg = searchParams.get('arg')!
    if (pathname.endsWith('block/put')) {
      request.resume().on('end', () => {
        stored.set(raw, 'theirs')
        response.end(`{"Key":"${raw}","Size":5}\n`)
      })
    } else if (pathname.endsWith('block/rm')) {
      response.end(
        stored.delete(arg) ? `{"Hash":"${arg}"}\n` : `{"Hash":"${arg}","Error":"ipld: could not find ${arg}"}\n`,
      )
    } else if (stored.has(arg)) response.end(`{"Key":"${arg}","Size":5}\n`)
    else refuse(response, `block was not found locally (offline): ipld: could not find ${arg}`)
  })
  const raw = 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'
  const put = (lane: string): Promise<unknown> =>
    backend.putBlock(Buffer.from('hello'), { version: 1, codec: 'raw', hash: 'sha2-256' }, { ...call(), lane })
  const remove = (lane: string): Promise<unknown> => backend.removeBlock(CID.parse(raw), { ...call(), lane })

  stored.set(raw, 'of somebody else')
  await put('alice')
  expect(await remove('alice')).toBe('held')
  stored.clear()
  expect(await remove('alice')).toBe('missing')
  await put('alice')
  expect(await remove('bob')).toBe('held')
  expect(asked.filter((each) => each.startsWith('block/rm'))).toEqual([])
  expect(await remove('alice')).toBe('removed')
  expect(await remove('alice')).toBe('missing')
  // As in Kubo: its CID holds it.
  expect(await backend.removeBlock(CID.parse('bafkqaaa'), { ...call(), lane: 'alice' })).toBe('removed')
})
