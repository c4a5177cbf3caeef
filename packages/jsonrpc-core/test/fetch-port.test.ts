import { inspect } from 'node:util'
import { createContext, createFetchPort, createHttpTransport, RpcError } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { closedPort, eventually, serveHttp } from './real-server.ts'
import { call, resultText } from './support.ts'

const secrets = { path: '/v3/SECRET-KEY', headers: { authorization: 'Basic SECRET-HEADER' } }
const ask = (url: string, timeoutMs = 5_000, options: object = {}) =>
  createHttpTransport({ url: url + secrets.path, headers: secrets.headers, ...options })(
    call('m', ['SECRET-PARAM']),
    createContext({ timeoutMs }),
  )

async function rejection(response: Promise<unknown>): Promise<RpcError> {
  const why: unknown = await response.then(
    () => 'it resolved',
    (thrown: unknown) => thrown,
  )
  if (!(why instanceof RpcError)) throw new Error(`an RpcError was expected, not ${String(why)}`)
  for (const form of [
    inspect(why, { depth: 9, showHidden: true }),
    JSON.stringify(why),
    String(why.stack),
    String(why.cause),
  ]) {
    expect(form).not.toMatch(/SECRET|127\.0\.0\.1|localhost/)
  }
  return why
}

it('asks and reads over a real connection', async () => {
  const { url } = await serveHttp((request, response) => {
    expect(request.url).toBe(secrets.path)
    expect(request.headers).toMatchObject({ ...secrets.headers, 'content-type': 'application/json' })
    response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}')
  })
  expect(resultText(await ask(url))).toBe('"0x1"')
})

describe('a connection that fails', () => {
  it('because the port is closed was not sent', async () => {
    expect(await rejection(ask(`http://127.0.0.1:${await closedPort()}`))).toMatchObject({
      code: 'connect',
      delivery: 'not_sent',
    })
  })

  it('because the host has no address was not sent', async () => {
    expect(await rejection(ask('http://node.invalid'))).toMatchObject({ code: 'connect', delivery: 'not_sent' })
  })

  it('before an answer may have been sent', async () => {
    const { url } = await serveHttp((request) => request.socket.destroy())
    expect(await rejection(ask(url))).toMatchObject({ code: 'disconnected', delivery: 'unknown' })
  })

  it('after the headers may have been sent', async () => {
    const { url } = await serveHttp((request, response) => {
      response.write('{"jsonrpc":"2.0",', () => setTimeout(() => request.socket.resetAndDestroy(), 20))
    })
    expect(await rejection(ask(url))).toMatchObject({ code: 'disconnected', delivery: 'unknown' })
  })

  it('within an error’s body keeps the status', async () => {
    const { url } = await serveHttp((request, response) => {
      response.writeHead(429, { 'retry-after': '3' })
      response.write('{"jsonrpc"', () => setTimeout(() => request.socket.resetAndDestroy(), 20))
    })
    expect(await rejection(ask(url))).toMatchObject({ code: 'http_status', httpStatus: 429, retryAfterMs: 3_000 })
  })
})

describe('a URL that cannot be asked was not sent', () => {
  it.each(['nonsense', 'ftp://node', 'http://user:SECRET@127.0.0.1'])('%s', async (url) => {
    expect(await rejection(ask(url))).toMatchObject({ code: 'connect', delivery: 'not_sent' })
  })
})

it('does not follow a redirect', async () => {
  let asked = 0
  const { url } = await serveHttp((_request, response) => {
    asked++
    response.writeHead(307, { location: '/elsewhere' })
    response.end()
  })
  expect(await rejection(ask(url))).toMatchObject({ code: 'http_status', httpStatus: 307 })
  expect(asked).toBe(1)
})

describe('a body that stalls', () => {
  const stalling = () => serveHttp((_request, response) => void response.write('{"jsonrpc":"2.0","id":1,"result":"'))

  it('is ended by the deadline, and its connection with it', async () => {
    const { url, sockets } = await stalling()
    expect((await rejection(ask(url, 60))).code).toBe('timeout')
    await eventually(() => sockets.size === 0, 'the connection is still open')
  })

  it('is ended when the caller aborts', async () => {
    const { url, sockets } = await stalling()
    const context = createContext()
    const rejected = rejection(createHttpTransport({ url })(call('m'), context))
    await eventually(() => sockets.size === 1, 'no connection came')
    setTimeout(() => context.cancel(new RpcError('aborted', 'the test aborts')), 30)
    expect((await rejected).code).toBe('aborted')
    await eventually(() => sockets.size === 0, 'the connection is still open')
  })

  it('is ended when its reader leaves while a read waits', async () => {
    const { url, sockets } = await stalling()
    const { body } = await createFetchPort()({ url, headers: [], body: '{}' }, createContext())
    const source = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
    await source.next()
    const waits = source.next()
    await source.return?.()
    expect(await waits).toMatchObject({ done: true })
    await eventually(() => sockets.size === 0, 'the connection is still open')
  })

  it('beside an error status is ended by the deadline', async () => {
    const { url, sockets } = await serveHttp((_request, response) => {
      response.writeHead(503)
      response.write('sor')
    })
    expect((await rejection(ask(url, 60))).code).toBe('timeout')
    await eventually(() => sockets.size === 0, 'the connection is still open')
  })
})

it('ends the connection of a body beyond the cap', async () => {
  const { url, sockets } = await serveHttp((_request, response) => {
    response.on('error', () => {})
    const pour = (): void => {
      while (!response.destroyed && response.write(' '.repeat(65_536)));
      if (!response.destroyed) response.once('drain', pour)
    }
    pour()
  })
  expect((await rejection(ask(url, 5_000, { maxResponseBytes: 100_000 }))).code).toBe('too_large')
  await eventually(() => sockets.size === 0, 'the connection is still open')
})

it('counts a compressed body as what it unpacks to', async () => {
  const { gzipSync } = await import('node:zlib')
  const { url } = await serveHttp((_request, response) => {
    response.setHeader('content-encoding', 'gzip')
    response.end(gzipSync(' '.repeat(2_000_000)))
  })
  expect((await rejection(ask(url, 5_000, { maxResponseBytes: 1_000_000 }))).code).toBe('too_large')
})

it('turns whatever a foreign port throws into an RpcError that repeats nothing of it', async () => {
  const thrown = Object.assign(new Error('no route to https://127.0.0.1/SECRET-KEY'), { code: 'ERR https://SECRET' })
  const http = async (): Promise<never> => {
    throw thrown
  }
  expect(await rejection(ask('http://peer', 1_000, { http }))).toMatchObject({
    code: 'disconnected',
    delivery: 'unknown',
  })
})
