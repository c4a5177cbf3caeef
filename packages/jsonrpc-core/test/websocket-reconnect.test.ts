import { createContext, RpcError, type RpcResponse, subscribe } from '@wayleave/jsonrpc-core'
import { createWebSocketTransport, resubscribe } from '@wayleave/jsonrpc-core/websocket'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type WebSocket as ServerSocket, WebSocketServer } from 'ws'
import { eventually, serveHttp } from './real-server.ts'
import { FakeSocket } from './fake-socket.ts'
import { call, resultText } from './support.ts'
import { answer, listen, outcome, peer, push, rawOf } from './websocket-peer.ts'

describe('after a drop', () => {
  it('the transport connects again by itself, at once', async () => {
    const scene = await peer((socket, { id, method }) =>
      method === 'drop' ? socket.terminate() : socket.send(answer(id)),
    )
    await outcome(scene.ask('drop'))
    await eventually(() => scene.connections === 2, 'it did not connect again')
    expect(scene.frames.map(({ method }) => method)).toEqual(['drop'])
    expect(await outcome(scene.ask())).toBe('"ok"')
    expect(scene.connections).toBe(2)
  })

  it('calls made by whoever hears of it go to the next connection', async () => {
    const scene = await peer((socket, { id, method }) =>
      method === 'drop' ? socket.terminate() : socket.send(answer(id)),
    )
    const chained = scene.ask('drop').catch(() => scene.ask('next'))
    expect(resultText(await chained)).toBe('"ok"')
  })

  it.each<[string, (socket: ServerSocket) => void]>([
    ['terminates', (socket) => socket.terminate()],
    ['closes in order', (socket) => socket.close(1001)],
    ['ends its stream', (socket) => rawOf(socket).end()],
    ['stops within a frame', (socket) => rawOf(socket).end(Buffer.from([0x81, 0x7e, 0x10, 0x00, 0x7b]))],
  ])('by a peer who %s, what is pending is rejected', async (_name, drop) => {
    const { ask } = await peer((socket, { method }) => {
      if (method === 'last') drop(socket)
    })
    const outcomes = [outcome(ask('first')), outcome(ask('last'))]
    expect(await Promise.all(outcomes)).toEqual(['disconnected unknown', 'disconnected unknown'])
  })

  it('what is pending is rejected in the same turn', async () => {
    const socket = new FakeSocket()
    const transport = createWebSocketTransport({ url: 'ws://peer', connect: () => socket, clock: new FakeClock() })
    const pending = transport.handler(call('m'), createContext())
    socket.open()
    let rejected = false
    pending.catch(() => (rejected = true))
    socket.drop()
    await Promise.resolve()
    expect(rejected).toBe(true)
  })
})

describe('while nobody is there', () => {
  function scene(random = () => 0.5) {
    const clock = new FakeClock()
    const sockets: FakeSocket[] = []
    const transport = createWebSocketTransport({
      url: 'ws://peer',
      clock,
      reconnect: { baseDelayMs: 100, maxDelayMs: 1_000, random },
      connect() {
        const socket = new FakeSocket()
        sockets.push(socket)
        return socket
      },
    })
    const ask = (): Promise<RpcResponse> => transport.handler(call('m'), createContext())
    return { clock, sockets, transport, ask }
  }

  /** Opens the newest socket, and drops it after `ms`. */
  function liveFor({ clock, sockets }: ReturnType<typeof scene>, ms: number): void {
    sockets.at(-1)!.open()
    clock.advance(ms)
    sockets.at(-1)!.drop()
  }

  it('waits grow twofold up to the cap, with full jitter, and never stop', async () => {
    const own = scene()
    const first = own.ask()
    liveFor(own, 5_000)
    await expect(first).rejects.toMatchObject({ code: 'disconnected' })
    // The attempt after a healthy connection is made at once.
    expect(own.sockets).toHaveLength(2)
    const waits: number[] = []
    for (let attempt = 0; attempt < 1_100; attempt++) {
      const before = own.sockets.length
      const from = own.clock.now()
      own.sockets.at(-1)!.drop()
      while (own.sockets.length === before) own.clock.advance(1)
      waits.push(own.clock.now() - from)
    }
    expect(waits.slice(0, 6)).toEqual([100, 200, 400, 500, 500, 500])
    expect(new Set(waits.slice(6))).toEqual(new Set([500]))
    own.sockets.at(-1)!.open()
    const answered = own.ask()
    own.sockets.at(-1)!.answer()
    expect(resultText(await answered)).toBe('"ok"')
  })

  it('a peer that drops each connection after a moment is not asked at once again and again', () => {
    const own = scene()
    void own.ask().catch(() => {})
    for (let i = 0; i < 2; i++) liveFor(own, 10)
    expect(own.sockets).toHaveLength(2)
    own.clock.advance(100)
    expect(own.sockets).toHaveLength(3)
    // One that lived is healthy: the next drop counts as the first.
    liveFor(own, 1_000)
    expect(own.sockets).toHaveLength(4)
  })

  it('a call is rejected at once as not sent, and says when to come again', async () => {
    const own = scene()
    const waiting = own.ask()
    own.sockets[0]!.drop()
    await expect(waiting).rejects.toMatchObject({ code: 'connect', delivery: 'not_sent' })
    await expect(own.ask()).rejects.toMatchObject({ code: 'connect', delivery: 'not_sent', retryAfterMs: 50 })
    own.clock.advance(20)
    await expect(own.ask()).rejects.toMatchObject({ retryAfterMs: 30 })
    expect(own.sockets).toHaveLength(1)
    // Nobody was ever there: the next attempt is the next call's.
    own.clock.advance(30)
    expect([own.sockets.length, own.clock.timers]).toEqual([1, 0])
    const answered = own.ask()
    own.sockets[1]!.open()
    own.sockets[1]!.answer()
    expect(resultText(await answered)).toBe('"ok"')
  })

  it('for 15 seconds, a call afterwards is answered', async () => {
    const own = scene(() => 1)
    void own.ask().catch(() => {})
    liveFor(own, 2_000)
    const end = own.clock.now() + 15_000
    for (; own.clock.now() < end; own.clock.advance(10)) {
      const socket = own.sockets.at(-1)!
      if (!socket.isOver) socket.drop()
    }
    own.clock.advance(1_000)
    own.sockets.at(-1)!.open()
    const answered = own.ask()
    own.sockets.at(-1)!.answer()
    expect(resultText(await answered)).toBe('"ok"')
    expect(own.sockets.length).toBeLessThan(30)
  })

  it('close ends the wait and the attempt', async () => {
    const own = scene()
    void own.ask().catch(() => {})
    liveFor(own, 0)
    const attempt = own.sockets.at(-1)!
    attempt.drop()
    expect(own.clock.timers).toBe(1)
    await own.transport.close()
    expect(own.clock.timers).toBe(0)
    own.clock.advance(10_000)
    expect(own.sockets).toHaveLength(2)
    await expect(own.ask()).rejects.toMatchObject({ code: 'aborted', delivery: 'not_sent' })
  })
})

it('a real peer that is gone for a while is used again', async () => {
  const { url, server, sockets } = await serveHttp(() => {})
  const webSockets = new WebSocketServer({ server })
  webSockets.on('connection', (socket) =>
    socket.on('message', (data) => socket.send(answer((JSON.parse(String(data)) as { id: number }).id))),
  )
  // It keeps its port, which the system would give to somebody else, and cuts whoever comes.
  let isGone = false
  server.prependListener('connection', (socket) => void (isGone && socket.destroy()))
  const transport = createWebSocketTransport({
    url: url.replace('http', 'ws'),
    reconnect: { baseDelayMs: 5, maxDelayMs: 20 },
  })
  onTestFinished(() => transport.close())
  const ask = (): Promise<string> => outcome(transport.handler(call('m'), createContext()))
  expect(await ask()).toBe('"ok"')
  isGone = true
  for (const socket of sockets) socket.destroy()
  let refused = 0
  while (refused < 20) {
    const said = await ask()
    expect(said).toMatch(/^(connect not_sent|disconnected unknown)$/)
    if (said === 'connect not_sent') refused++
  }
  isGone = false
  await expect.poll(ask).toBe('"ok"')
})

it('a subscription ends with the drop, and its caller may subscribe on the next connection', async () => {
  const scene = await peer((socket, { id, method }) =>
    method === 'drop' ? socket.terminate() : socket.send(answer(id, '"0x1"')),
  )
  const log: string[] = []
  for (let round = 0; round < 2; round++) {
    const response = await scene.ask('eth_subscribe')
    if (response.error === undefined) response.subscription?.open(listen(log))
    await scene.ask('drop').catch((why: unknown) => expect(why).toBeInstanceOf(RpcError))
  }
  expect(log).toEqual(['end disconnected', 'end disconnected'])
})

describe('a subscription that is kept over a real connection', () => {
  async function scene() {
    const log: unknown[] = []
    let refuse = false
    const own = await peer(
      (socket, { id, method }) => {
        if (method === 'drop') return socket.terminate()
        socket.send(answer(id, `"0x${own.connections}"`))
        if (method === 'eth_subscribe') socket.send(push(`0x${own.connections}`, String(own.connections)))
      },
      { reconnect: { baseDelayMs: 5, maxDelayMs: 20 } },
    )
    own.server.options.verifyClient = (): boolean => !refuse
    const handler = resubscribe({ baseDelayMs: 5, maxDelayMs: 20 })(own.transport.handler)
    const subscription = await subscribe(handler, 'eth_subscribe', ['newHeads'], {
      onEvent: (event) => log.push(event),
      onGap: ({ last, first }) => log.push([last, first]),
      onEnd: (why) => log.push(`end ${why?.code}`),
    })
    await eventually(() => log.length === 1, 'no event came')
    return { ...own, log, subscription, refuse: () => void (refuse = true) }
  }

  it('is ended at the peer by the id that it has there now', async () => {
    const { ask, frames, log, subscription } = await scene()
    await outcome(ask('drop'))
    await eventually(() => log.length === 3, 'it was not opened again')
    expect([subscription.id, ...log]).toEqual(['0x1', 1, [1, 2], 2])
    subscription.unsubscribe()
    await outcome(ask())
    const ended = frames.filter(({ method }) => method === 'eth_unsubscribe')
    expect(ended.map(({ params }) => params)).toEqual([['0x2']])
    expect(log.at(-1)).toBe('end undefined')
  })

  it('ends in order when the transport is closed in the outage', async () => {
    const { ask, log, refuse, transport } = await scene()
    refuse()
    await outcome(ask('drop'))
    expect(await outcome(ask())).toBe('connect not_sent')
    await transport.close()
    await eventually(() => log.length === 2, 'it did not end')
    expect(log).toEqual([1, 'end undefined'])
  })
})
