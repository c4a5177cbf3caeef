import { type ArrivingHttpBody, createContext, type RpcContext, type RpcError } from '@wayleave/jsonrpc-core'
import { createUndiciPort, type UndiciPort } from '@wayleave/upstream/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bodyOf, rejectionOf, sleep, startServer, textOf, until } from '../support.ts'

let port: UndiciPort
let context: ReturnType<typeof createContext>

beforeEach(() => {
  port = createUndiciPort()
  context = createContext({ timeoutMs: 15_000 })
})

afterEach(async () => {
  context.release()
  await port.close()
})

const send = (url: string, body = '{}', inContext: RpcContext = context) =>
  port.http({ url, headers: [], body }, inContext)

describe('a request', () => {
  it('goes out with its path, query, body and exactly the headers given', async () => {
    let seen: unknown
    await using server = await startServer((request, response) => {
      void bodyOf(request).then((body) => {
        seen = { method: request.method, url: request.url, headers: request.rawHeaders, body }
        response.end('ok')
      })
    })
    const headers = ['content-type', 'application/json', 'X-Mixed-Case', 'a b', 'authorization', 'Basic Og==']
    await port.http({ url: `${server.url}/a%20b/c?d=e&f`, headers, body: '{"ü":1}' }, context)
    const host = server.url.slice('http://'.length)
    expect(seen).toEqual({
      method: 'POST',
      url: '/a%20b/c?d=e&f',
      headers: ['host', host, 'connection', 'keep-alive', ...headers, 'content-length', '8'],
      body: '{"ü":1}',
    })
  })
})

describe('a reply', () => {
  it('gives its status, and its headers by lower-case name', async () => {
    await using server = await startServer((_request, response) => {
      response.writeHead(429, { 'Retry-After': '7', 'X-Latin': 'caf\u00e9' }).end('slow down')
    })
    const reply = await send(server.url)
    expect(reply.status).toBe(429)
    expect(reply.headers.get('retry-after')).toBe('7')
    expect(reply.headers.get('x-latin')).toBe('caf\u00e9')
    expect(reply.headers.get('x-absent')).toBeNull()
  })

  it('is not taken for an interim one that came before', async () => {
    await using server = await startServer((_request, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' })
      response.end('final')
    })
    const reply = await send(server.url)
    expect([reply.status, await textOf(reply.body)]).toEqual([200, 'final'])
  })

  it('of up to 128 kB comes collected, even in pieces', async () => {
    await using server = await startServer((_request, response) => {
      response.write('a'.repeat(60_000))
      setTimeout(() => response.end('b'.repeat(60_000)), 20)
    })
    const { body } = await send(server.url)
    expect(Array.isArray(body)).toBe(true)
    expect(await textOf(body)).toBe('a'.repeat(60_000) + 'b'.repeat(60_000))
  })

  it('without a body is an empty array', async () => {
    await using server = await startServer((_request, response) => response.writeHead(204).end())
    expect(await send(server.url)).toMatchObject({ status: 204, body: [] })
  })

  it('of more than 128 kB can be read before it has ended', async () => {
    let finish = (): void => {}
    await using server = await startServer((_request, response) => {
      response.write('x'.repeat(300_000))
      finish = () => response.end('end')
    })
    const { body } = await send(server.url)
    expect(Array.isArray(body)).toBe(false)
    finish()
    expect(await textOf(body)).toBe(`${'x'.repeat(300_000)}end`)
  })

  it.each([
    ['its length where the server announced it', { 'content-length': '200000' }, 200_000],
    ['no length where it comes in chunks', {}, undefined],
  ])('that is still arriving tells %s', async (_, headers, announced) => {
    await using server = await startServer((_request, response) => {
      response.writeHead(200, headers)
      response.write('a'.repeat(100_000))
      response.end('a'.repeat(100_000))
    })
    const { body } = await send(server.url)
    expect((body as ArrivingHttpBody).announcedBytes).toBe(announced)
    expect((await textOf(body)).length).toBe(200_000)
  })

  it('is taken from its server only as fast as it is read', async () => {
    const total = 64 * 1024 * 1024
    const piece = Buffer.alloc(65_536, 'x')
    let written = 0
    await using server = await startServer((_request, response) => {
      const write = (): void => {
        while (written < total) {
          written += piece.byteLength
          if (!response.write(piece)) return void response.once('drain', write)
        }
        response.end()
      }
      write()
    })
    const { body } = await send(server.url)
    // The buffers of both sockets fill, and then nothing moves.
    for (let before = -1; written > before; await sleep(200)) before = written
    expect(written).toBeLessThan(total / 2)

    let read = 0
    for await (const chunk of body) read += chunk.byteLength
    expect(read).toBe(total)
  })
})

describe('connections', () => {
  it('are kept and used again, by all paths of an origin', async () => {
    await using server = await startServer((_request, response) => response.end('ok'))
    for (let i = 0; i < 20; i++) await send(`${server.url}/${i % 3}`)
    // undici rests a connection for one turn of the event loop, in which the next call takes another one.
    expect(server.accepted).toBeLessThanOrEqual(2)
  })

  it('are as many as allowed, and further calls wait', async () => {
    await port.close()
    port = createUndiciPort({ connections: 2 })
    await using server = await startServer((_request, response) => void setTimeout(() => response.end('ok'), 20))
    await Promise.all(Array.from({ length: 10 }, () => send(server.url)))
    expect(server.accepted).toBe(2)
  })

  it('are replaced when the server has closed them', async () => {
    await using server = await startServer((_request, response) =>
      response.writeHead(200, { connection: 'close' }).end('ok'),
    )
    for (let i = 0; i < 3; i++) expect((await send(server.url)).status).toBe(200)
    expect(server.accepted).toBe(3)
  })

  it('and listeners do not add up over 1,000 calls', async () => {
    const warnings: string[] = []
    const warn = ({ name }: Error): void => void warnings.push(name)
    process.on('warning', warn)
    let listeners = 0
    const counting: RpcContext = Object.create(context, {
      onCancel: {
        value: (listener: (why: RpcError) => void) => {
          listeners++
          const forget = context.onCancel(listener)
          return () => {
            listeners--
            forget()
          }
        },
      },
      cancelled: { get: () => context.cancelled },
    }) as RpcContext
    const before = openSockets()
    {
      await using server = await startServer((request, response) => {
        request.resume()
        response.end(request.url === '/large' ? 'x'.repeat(200_000) : 'ok')
      })
      for (let round = 0; round < 50; round++) {
        const calls = Array.from({ length: 20 }, async (_, i) => {
          const reply = await send(`${server.url}/${i === 0 ? 'large' : ''}`, '{}', counting)
          await textOf(reply.body)
        })
        await Promise.all(calls)
      }
      expect(server.accepted).toBeLessThanOrEqual(40)
      expect(listeners).toBe(0)
      await port.close()
      await until(() => server.open.size === 0)
    }
    await until(() => openSockets() === before)
    process.off('warning', warn)
    expect(warnings).toEqual([])
  })
})

describe('close', () => {
  it('ends calls in flight, idle connections and later calls', async () => {
    let hangs = 0
    await using server = await startServer((request, response) => {
      if (request.url === '/idle') response.end('ok')
      else hangs++
    })
    await Promise.all([send(`${server.url}/idle`), send(`${server.url}/idle`)])
    const hanging = rejectionOf(send(`${server.url}/hangs`))
    await until(() => hangs === 1 && server.open.size === 2)
    await port.close()
    expect(await hanging).toMatchObject({ name: 'RpcError', code: 'disconnected', delivery: 'unknown' })
    await until(() => server.open.size === 0)
    expect(await rejectionOf(send(server.url))).toMatchObject({
      name: 'RpcError',
      code: 'connect',
      delivery: 'not_sent',
    })
  })

  it('breaks off a body that is being read', async () => {
    await using server = await startServer((_request, response) => void response.write('x'.repeat(300_000)))
    const { body } = await send(server.url)
    const reading = rejectionOf(textOf(body))
    await port.close()
    expect(await reading).toMatchObject({ name: 'RpcError', code: 'disconnected' })
  })

  it('may come twice, and before any call', async () => {
    await port.close()
    await port.close()
  })

  it('holds for origins that were not called before', async () => {
    await using server = await startServer((_request, response) => response.end('ok'))
    await port.close()
    expect(await rejectionOf(send(server.url))).toMatchObject({ code: 'connect', delivery: 'not_sent' })
    expect(server.accepted).toBe(0)
  })
})

const openSockets = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length
