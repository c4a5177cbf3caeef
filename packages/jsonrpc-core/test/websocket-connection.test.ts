import { type AddressInfo, createServer, type Socket } from 'node:net'
import { inspect } from 'node:util'
import { createContext, type RpcSink } from '@wayleave/jsonrpc-core'
import { createWebSocketTransport } from '@wayleave/jsonrpc-core/websocket'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { WebSocket as ServerSocket } from 'ws'
import { closedPort, eventually, serveHttp } from './real-server.ts'
import { call } from './support.ts'
import { answer, gone, listen, outcome, peer } from './websocket-peer.ts'

describe('a connection that cannot be believed any more', () => {
  it.each<[string, (socket: ServerSocket) => void, string]>([
    [
      'because of a binary frame',
      (socket) => socket.send(Buffer.from(answer(1)), { binary: true }),
      'invalid_response',
    ],
    ['because of text that is no JSON', (socket) => socket.send('sorry'), 'invalid_response'],
    [
      'because of an answer to nobody',
      (socket) => socket.send('{"jsonrpc":"2.0","id":"nobody","result":1}'),
      'invalid_response',
    ],
    ['because of a batch', (socket) => socket.send(`[${answer(1)}]`), 'invalid_response'],
    [
      'because of a message that is too long',
      (socket) => socket.send(answer(1, `"${'a'.repeat(2_000)}"`)),
      'too_large',
    ],
  ])('%s fails what is pending and is closed; the next call opens another', async (_name, send, code) => {
    let closed = 0
    const scene = await peer(
      (socket, { id, method }) => {
        socket.on('close', () => closed++)
        if (method === 'bad') send(socket)
        else socket.send(answer(id))
      },
      { maxMessageBytes: 1_000 },
    )
    expect(await outcome(scene.ask('bad'))).toBe(`${code} unknown`)
    await eventually(() => closed > 0, 'the connection is still open')
    expect(await outcome(scene.ask('good'))).toBe('"ok"')
    expect(scene.connections).toBe(2)
  })
})

describe('an error that names no call', () => {
  const unnamed = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}'

  it('is the answer of the only call that waits', async () => {
    const scene = await peer((socket, { id, method }) => socket.send(method === 'odd' ? unnamed : answer(id)))
    expect(await outcome(scene.ask('odd'))).toBe('error -32700')
    expect(await outcome(scene.ask('good'))).toBe('"ok"')
    expect(scene.connections).toBe(1)
  })

  it('is not taken for the answer of another call where its own caller has left', async () => {
    const late: (() => void)[] = []
    const scene = await peer((socket, { id, method }) =>
      late.push(() => socket.send(method === 'odd' ? unnamed : answer(id))),
    )
    const context = createContext()
    const odd = outcome(scene.ask('odd', context))
    const other = outcome(scene.ask('other'))
    await eventually(() => late.length === 2, 'the calls did not come')
    context.cancel(gone)
    expect(await odd).toBe('aborted unknown')
    for (const send of late) send()
    expect(await other).toBe('"ok"')
  })

  it('is the answer of the only call on a new connection, whatever was left on the old one', async () => {
    const scene = await peer((socket, { method }) => {
      if (method === 'drop') socket.terminate()
      else if (method === 'odd') socket.send(unnamed)
    })
    expect(await outcome(scene.ask('left', createContext({ timeoutMs: 20 })))).toMatch(/^timeout/)
    await outcome(scene.ask('drop'))
    expect(await outcome(scene.ask('odd'))).toBe('error -32700')
  })

  it('costs neither other calls nor the connection', async () => {
    const scene = await peer((socket, { id, method }) => {
      if (method === 'odd') socket.send(unnamed)
      else setTimeout(() => socket.send(answer(id)), 50)
    })
    const slow = outcome(scene.ask('slow'))
    const odd = scene.ask('odd')
    odd.catch(() => {})
    expect(await slow).toBe('"ok"')
    expect(scene.connections).toBe(1)
  })
})

describe('a peer that falls silent', () => {
  it('costs its connection once a call has timed out, and the next call opens another', async () => {
    const scene = await peer((socket, { id }) => {
      if (scene.connections > 1) socket.send(answer(id))
    })
    const context = createContext({ timeoutMs: 3_100 })
    expect(await outcome(scene.ask('silent', context))).toMatch(/^timeout/)
    expect(await outcome(scene.ask('good'))).toBe('"ok"')
    expect(scene.connections).toBe(2)
  })
})

describe('a drop', () => {
  it('rejects what is pending, and the next call connects again', async () => {
    const scene = await peer((socket, { id, method }) =>
      method === 'drop' ? socket.terminate() : socket.send(answer(id)),
    )
    const pending = outcome(scene.ask('drop'))
    expect(await pending).toBe('disconnected unknown')
    expect(await outcome(scene.ask())).toBe('"ok"')
    expect(scene.connections).toBe(2)
  })

  it('ends the subscriptions', async () => {
    const { ask } = await peer((socket, { id, method }) =>
      method === 'drop' ? socket.terminate() : socket.send(answer(id, '"0x1"')),
    )
    const log: string[] = []
    const response = await ask('eth_subscribe')
    ;(response as { subscription: { open(sink: RpcSink): () => void } }).subscription.open(listen(log))
    await outcome(ask('drop'))
    expect(log).toEqual(['end disconnected'])
  })
})

describe('a connection that is not made', () => {
  it('because the port is closed was not used', async () => {
    const transport = createWebSocketTransport({ url: `ws://127.0.0.1:${await closedPort()}/SECRET-KEY` })
    const why = await transport.handler(call('m'), createContext()).catch((thrown: unknown) => thrown)
    expect(why).toMatchObject({ code: 'connect', delivery: 'not_sent' })
    expect(inspect(why, { depth: 9 }) + JSON.stringify(why)).not.toMatch(/SECRET|127\.0\.0\.1/)
  })

  it('because the upgrade is refused was not used', async () => {
    const { url } = await serveHttp((_request, response) => {
      response.writeHead(401)
      response.end('no such key: SECRET-KEY')
    })
    const transport = createWebSocketTransport({
      url: `${url.replace('http', 'ws')}/SECRET-KEY`,
      headers: { authorization: 'SECRET' },
    })
    const why = await transport.handler(call('m'), createContext()).catch((thrown: unknown) => thrown)
    expect(why).toMatchObject({ code: 'connect', delivery: 'not_sent' })
    expect(inspect(why, { depth: 9 }) + JSON.stringify(why)).not.toMatch(/SECRET|127\.0\.0\.1/)
  })

  it.each(['nonsense SECRET', 'ftp://SECRET', 'ws://user:SECRET@127.0.0.1:1/#fragment'])(
    'because the URL is %s was not used',
    async (url) => {
      const why = await createWebSocketTransport({ url })
        .handler(call('m'), createContext())
        .catch((thrown: unknown) => thrown)
      expect(why).toMatchObject({ code: 'connect', delivery: 'not_sent' })
      expect(inspect(why, { depth: 9 }) + JSON.stringify(why)).not.toContain('SECRET')
    },
  )

  /** Takes TCP connections and never says a word. */
  async function silentServer(): Promise<{ readonly url: string; readonly sockets: Set<Socket> }> {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
      socket.resume()
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets }
  }

  it('in time fails the calls that wait, frees the socket, and the next call tries again', async () => {
    const { url, sockets } = await silentServer()
    const clock = new FakeClock()
    const transport = createWebSocketTransport({ url, clock, connectTimeoutMs: 100, reconnect: { random: () => 0 } })
    for (let attempt = 0; attempt < 2; attempt++) {
      const waiting = outcome(transport.handler(call('m'), createContext({ timeoutMs: 60_000 })))
      await eventually(() => sockets.size === 1, 'no connection came')
      clock.advance(100)
      expect(await waiting).toBe('connect not_sent')
      await eventually(() => sockets.size === 0, 'the connection is still open')
      expect(clock.timers).toBe(0)
    }
  })

  it('lets a caller leave at his own deadline', async () => {
    const { url } = await silentServer()
    const transport = createWebSocketTransport({ url })
    expect(await outcome(transport.handler(call('m'), createContext({ timeoutMs: 30 })))).toBe('timeout not_sent')
    await transport.close()
  })

  it('because the transport was closed meanwhile was not used, and frees the socket', async () => {
    const { url, sockets } = await silentServer()
    const clock = new FakeClock()
    const transport = createWebSocketTransport({ url, clock })
    const waiting = outcome(transport.handler(call('m'), createContext()))
    await eventually(() => sockets.size === 1, 'no connection came')
    await transport.close()
    expect(await waiting).toBe('aborted not_sent')
    await eventually(() => sockets.size === 0, 'the connection is still open')
    expect(clock.timers).toBe(0)
  })
})

describe('close', () => {
  it('rejects what is pending, ends subscriptions, closes the connection and refuses further calls', async () => {
    let code = 0
    const { transport, ask, frames } = await peer((socket, { id, method }) => {
      socket.on('close', (why) => (code = why))
      if (method === 'eth_subscribe') socket.send(answer(id, '"0x1"'))
    })
    const log: string[] = []
    const { subscription } = (await ask('eth_subscribe')) as { subscription: { open(sink: RpcSink): () => void } }
    const leave = subscription.open(listen(log))
    const pending = outcome(ask('m'))
    await eventually(() => frames.length === 2, 'the call did not arrive')
    await transport.close()
    expect(await pending).toBe('aborted unknown')
    expect(log).toEqual(['end undefined'])
    leave()
    expect(await outcome(ask('m'))).toBe('aborted not_sent')
    await eventually(() => code === 1000, 'the connection was not closed in order')
    await transport.close()
  })
})

it('closes in the way a browser lets a page close, and runs on its WebSocket', async () => {
  const codes: number[] = []
  const { ask } = await peer(
    (socket, { id, method }) => {
      socket.on('close', (code) => codes.push(code))
      socket.send(method === 'bad' ? 'sorry' : answer(id))
    },
    { connect: (url) => new WebSocket(url) as never },
  )
  expect(await outcome(ask())).toBe('"ok"')
  expect(await outcome(ask('bad'))).toBe('invalid_response unknown')
  await eventually(() => codes.includes(4002), 'the connection is still open')
})
