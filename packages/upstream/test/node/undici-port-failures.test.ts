import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { inspect } from 'node:util'
import { createContext, RpcError, type RpcContext, systemClock } from '@wayleave/jsonrpc-core'
import { createUndiciPort, type UndiciPort } from '@wayleave/upstream/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rejectionOf, sleep, startServer, type TestServer, textOf, until } from '../support.ts'

const secret = 'k3y-in-the-path'
let port: UndiciPort
let context: ReturnType<typeof createContext>

beforeEach(() => {
  port = createUndiciPort({ connections: 1 })
  context = createContext({ timeoutMs: 15_000 })
})

afterEach(async () => {
  context.release()
  await port.close()
})

const send = (url: string, inContext: RpcContext = context) =>
  port.http({ url: `${url}/${secret}`, headers: [], body: '{}' }, inContext)
const gone = new RpcError('aborted', 'the test aborts')

/** A server that remembers the connection of each request: undici opens another one for whatever may follow. */
async function startRecording(
  act: (response: ServerResponse) => void,
): Promise<{ readonly server: TestServer; readonly sockets: readonly Socket[] }> {
  const sockets: Socket[] = []
  const server = await startServer((request, response) => {
    sockets.push(request.socket)
    act(response)
  })
  return { server, sockets }
}

/** What a log could print of an error: everything but the code frames of its stack. */
function printed(error: unknown): string {
  const links: string[] = []
  for (let link = error; link instanceof Error; link = link.cause)
    links.push(inspect({ ...link, message: link.message, name: link.name }))
  return links.join('\n')
}

/** A URL where nobody listens, nor will: its port is the near end of a connection, which the system gives to no one else. */
async function refusedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const holder = connect((server.address() as AddressInfo).port, '127.0.0.1').unref()
  await once(holder, 'connect')
  return `http://127.0.0.1:${holder.localPort}`
}

describe('a server that fails', () => {
  it('by refusing the connection leaves the call not sent', async () => {
    const why = await rejectionOf(send(await refusedUrl()))
    expect(why).toBeInstanceOf(RpcError)
    expect(why).toMatchObject({
      code: 'connect',
      delivery: 'not_sent',
      message: 'no connection could be made (ECONNREFUSED)',
    })
  })

  it('by having no address leaves the call not sent', async () => {
    expect(await rejectionOf(send('http://nowhere.invalid'))).toMatchObject({ code: 'connect', delivery: 'not_sent' })
  })

  it('by speaking no TLS leaves the call not sent', async () => {
    await using server = await startServer((_request, response) => response.end('ok'))
    const why = await rejectionOf(send(server.url.replace('http:', 'https:')))
    expect(why).toMatchObject({ code: 'connect', delivery: 'not_sent' })
  })

  it('before the headers leaves it unknown whether the call arrived', async () => {
    await using server = await startServer((request) => void request.socket.destroy())
    expect(await rejectionOf(send(server.url))).toMatchObject({
      name: 'RpcError',
      code: 'disconnected',
      delivery: 'unknown',
    })
  })

  it('by a reset leaves it unknown whether the call arrived', async () => {
    await using server = await startServer((request) => void request.socket.resetAndDestroy())
    expect(await rejectionOf(send(server.url))).toMatchObject({ code: 'disconnected', delivery: 'unknown' })
  })

  it('after the headers rejects the call', async () => {
    await using server = await startServer((request, response) => {
      response.writeHead(200, { 'content-length': '10' }).flushHeaders()
      setTimeout(() => request.socket.destroy(), 20)
    })
    expect(await rejectionOf(send(server.url))).toMatchObject({ code: 'disconnected', delivery: 'unknown' })
  })

  it('within a small body rejects the call', async () => {
    await using server = await startServer((request, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('12345', () => request.socket.destroy())
    })
    expect(await rejectionOf(send(server.url))).toMatchObject({ code: 'disconnected', delivery: 'unknown' })
  })

  it('within a large body makes the reading fail, after what came', async () => {
    let reset = (): void => {}
    await using server = await startServer((request, response) => {
      response.write('x'.repeat(300_000))
      reset = () => void request.socket.resetAndDestroy()
    })
    const { body } = await send(server.url)
    reset()
    expect(await rejectionOf(textOf(body))).toMatchObject({ name: 'RpcError', code: 'disconnected' })
  })

  it('by sending something else than HTTP rejects the call', async () => {
    const server = createServer(
      (socket) => void socket.on('data', () => socket.write('SSH-2.0-OpenSSH\r\n')).on('error', () => {}),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const why = await rejectionOf(send(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
    expect(why).toMatchObject({ name: 'RpcError', code: 'disconnected', delivery: 'unknown' })
    server.close()
  })
})

describe('an error', () => {
  it('holds neither URL, address nor header', async () => {
    await using dropping = await startServer((request) => void request.socket.destroy())
    const refused = await refusedUrl()
    const urls = [refused, dropping.url, dropping.url.replace('http:', 'https:'), 'http://nowhere.invalid']
    const errors = await Promise.all(urls.map((url) => rejectionOf(send(url))))
    const badHeader = port.http(
      { url: `${dropping.url}/${secret}`, headers: ['authorization', `Basic ${secret}\n`], body: '' },
      context,
    )
    errors.push(await rejectionOf(badHeader))
    for (const error of errors) {
      expect(error).toBeInstanceOf(RpcError)
      expect(printed(error)).not.toMatch(/k3y|127\.0\.0\.1|nowhere|http:/)
    }
  })

  it('of a URL that is none is an RpcError without the URL', async () => {
    const error = await rejectionOf(send('not a url'))
    expect(error).toMatchObject({ name: 'RpcError', delivery: 'not_sent' })
    expect(printed(error)).not.toContain(secret)
  })
})

describe('a call that is cancelled', () => {
  it('before it is made sends nothing', async () => {
    const { server, sockets } = await startRecording((response) => response.end('ok'))
    context.cancel(gone)
    expect(await rejectionOf(send(server.url))).toMatchObject({ code: 'aborted', delivery: 'not_sent' })
    await sleep(30)
    expect(sockets).toEqual([])
    await server[Symbol.asyncDispose]()
  })

  it('while it waits for a connection rejects at once and is not sent', async () => {
    const requests: (() => void)[] = []
    await using server = await startServer((_request, response) => void requests.push(() => response.end('ok')))
    const first = send(server.url)
    await until(() => requests.length === 1)
    const waiting = createContext()
    const queued = rejectionOf(send(server.url, waiting))
    waiting.cancel(gone)
    expect(await queued).toMatchObject({ code: 'aborted', delivery: 'not_sent' })
    requests[0]!()
    await first
    await sleep(30)
    expect(requests.length).toBe(1)
  })

  it('while it waits for a connection costs no connection', async () => {
    const requests: (() => void)[] = []
    await using server = await startServer((_request, response) => void requests.push(() => response.end('ok')))
    const first = send(server.url)
    await until(() => requests.length === 1)
    const waiting = createContext()
    const queued = [1, 2, 3].map(() => rejectionOf(send(server.url, waiting)))
    waiting.cancel(gone)
    await Promise.all(queued)
    requests[0]!()
    await first
    const next = send(server.url)
    await until(() => requests.length === 2)
    requests[1]!()
    await next
    expect(server.accepted).toBe(1)
  })

  it('while it waits for headers rejects at once and closes its connection', async () => {
    const { server, sockets } = await startRecording(() => {})
    const hanging = rejectionOf(send(server.url))
    await until(() => sockets.length === 1)
    context.cancel(gone)
    expect(await hanging).toBe(gone)
    await until(() => sockets[0]!.destroyed)
    await server[Symbol.asyncDispose]()
  })

  it('by its deadline rejects as a timeout', async () => {
    const { server, sockets } = await startRecording(() => {})
    let pass = (): void => {}
    const after = (_ms: number, run: () => void): (() => void) => {
      pass = run
      return () => {}
    }
    const hanging = rejectionOf(send(server.url, createContext({ clock: { ...systemClock, after }, timeoutMs: 100 })))
    await until(() => sockets.length === 1)
    pass()
    expect(await hanging).toMatchObject({ code: 'timeout' })
    await until(() => sockets[0]!.destroyed)
    await server[Symbol.asyncDispose]()
  })

  it('while its body is read makes the reading fail and closes its connection', async () => {
    const { server, sockets } = await startRecording((response) => void response.write('x'.repeat(300_000)))
    const { body } = await send(server.url)
    const reading = rejectionOf(textOf(body))
    await sleep(20)
    context.cancel(gone)
    expect(await reading).toBe(gone)
    await until(() => sockets[0]!.destroyed)
    await server[Symbol.asyncDispose]()
  })

  it('after its answer has come keeps its connection', async () => {
    await using server = await startServer((_request, response) => response.end('ok'))
    await send(server.url)
    context.cancel(gone)
    await sleep(30)
    expect(server.open.size).toBe(1)
  })
})

describe('a body that its reader leaves', () => {
  it('closes its connection, and later reads end', async () => {
    const { server, sockets } = await startRecording((response) => void response.write('x'.repeat(1_000_000)))
    const { body } = await send(server.url)
    const source = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
    await source.next()
    await source.return?.()
    await until(() => sockets[0]!.destroyed)
    expect(await source.next()).toEqual({ done: true, value: undefined })
    await server[Symbol.asyncDispose]()
  })

  it('after its end keeps its connection', async () => {
    await using server = await startServer((_request, response) => response.end('x'.repeat(300_000)))
    const { body } = await send(server.url)
    const source = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
    let next = await source.next()
    while (next.done !== true) next = await source.next()
    await source.return?.()
    await send(server.url).then((reply) => textOf(reply.body))
    expect(server.accepted).toBe(1)
  })
})
