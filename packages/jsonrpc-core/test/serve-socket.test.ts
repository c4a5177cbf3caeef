import type { AddressInfo } from 'node:net'
import {
  type CallContext,
  createContext,
  createRpcServer,
  rawJsonFromText,
  rawJsonFromValue,
  type RpcError,
  type RpcHandler,
  type RpcSink,
} from '@wayleave/jsonrpc-core'
import { type ServedSocket, serveSocket, type ServeSocketOptions } from '@wayleave/jsonrpc-core/websocket'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { eventually } from './real-server.ts'
import { echo } from './support.ts'

/** A socket without a network: what a W3C one has, and no way to stop its reading. */
class BareSocket {
  readyState = 1
  bufferedAmount = 0
  readonly sent: string[] = []
  readonly closes: unknown[] = []
  readonly #listeners: [string, (event: never) => void][] = []

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.push([type, listener])
  }
  send(text: string): void {
    this.sent.push(text)
  }
  close(code?: number, reason?: string): void {
    this.readyState = 2
    this.closes.push([code, reason])
  }
  fire(type: string, event: unknown = {}): void {
    if (type === 'close') this.readyState = 3
    for (const [wanted, listener] of this.#listeners) if (wanted === type) listener(event as never)
  }
  say(id: number, method = 'm', params: unknown = []): void {
    this.fire('message', { data: JSON.stringify({ jsonrpc: '2.0', id, method, params }) })
  }
}

const turn = (): Promise<unknown> => new Promise((resolve) => void setImmediate(resolve))

/** A handler whose calls wait until they are let go, in order. */
function gated(): { readonly handler: RpcHandler; readonly waiting: (() => void)[]; readonly gone: RpcError[] } {
  const waiting: (() => void)[] = []
  const gone: RpcError[] = []
  const handler: RpcHandler = ({ method }, context) =>
    new Promise((resolve, reject) => {
      waiting.push(() => resolve({ result: rawJsonFromValue(method) }))
      context.onCancel((why) => {
        gone.push(why)
        reject(why)
      })
    })
  return { handler, waiting, gone }
}

function bare(handler: RpcHandler, options: ServeSocketOptions = {}) {
  const socket = new BareSocket()
  const clock = new FakeClock()
  const served = serveSocket(createRpcServer(handler), socket, { clock, ...options })
  return { socket, clock, served }
}

const subscribing =
  (sinks: RpcSink[], left: string[] = []): RpcHandler =>
  async () => {
    const id = `0x${sinks.length + 1}`
    return {
      result: rawJsonFromValue(id),
      subscription: {
        id,
        open(sink) {
          sinks.push(sink)
          return () => void left.push(id)
        },
      },
    }
  }

describe('serveSocket', () => {
  it('answers texts and bytes, and is silent to notifications', async () => {
    const { socket } = bare(echo)
    socket.say(1, 'a')
    socket.fire('message', { data: new TextEncoder().encode('{"jsonrpc":"2.0","id":2,"method":"b"}') })
    socket.fire('message', { data: '{"jsonrpc":"2.0","method":"c"}' })
    socket.fire('message', { data: 'nonsense' })
    await turn()
    expect(socket.sent.map((text) => (JSON.parse(text) as { id: unknown }).id).toSorted()).toEqual([1, 2, null])
    expect(socket.closes).toEqual([])
  })

  it('closes on what is neither text nor bytes', async () => {
    const { socket } = bare(echo)
    socket.fire('message', { data: new Blob(['x']) })
    expect(socket.closes).toEqual([[1003, 'a text message was expected']])
  })

  it('answers so many at once, and the rest in turn', async () => {
    const { handler, waiting } = gated()
    const { socket } = bare(handler, { maxInFlight: 2 })
    for (const id of [1, 2, 3, 4, 5]) socket.say(id, `m${id}`)
    await turn()
    expect(waiting).toHaveLength(2)
    for (let i = 0; i < 5; i++) {
      waiting[i]!()
      await turn()
      expect(waiting).toHaveLength(Math.min(5, i + 3))
    }
    expect(socket.sent.map((text) => (JSON.parse(text) as { result: unknown }).result)).toEqual([
      'm1',
      'm2',
      'm3',
      'm4',
      'm5',
    ])
  })

  it('closes with 1013 where too many bytes wait', async () => {
    const { handler, gone } = gated()
    const { socket } = bare(handler, { maxInFlight: 1, maxWaitingBytes: 1_500 })
    socket.say(1)
    socket.say(2, 'm', ['a'.repeat(900)])
    expect(socket.closes).toEqual([])
    socket.say(3, 'm', ['a'.repeat(900)])
    expect(socket.closes).toEqual([[1013, 'too many calls wait for an answer']])
    socket.fire('close')
    await turn()
    expect(gone).toHaveLength(1)
  })

  it('closes with 1013 where too many messages wait, however short', () => {
    const { socket } = bare(gated().handler, { maxInFlight: 1, maxWaitingBytes: 10_000 })
    socket.say(1)
    for (let i = 0; i < 100; i++) socket.fire('message', { data: '' })
    expect(socket.closes).toEqual([[1013, 'too many calls wait for an answer']])
  })

  it('closes with 1013 where answers or pushes are not read', async () => {
    const slow = bare(echo, { maxUnsentBytes: 100 })
    slow.socket.bufferedAmount = 101
    slow.socket.say(1)
    await turn()
    expect([slow.socket.sent, slow.socket.closes]).toEqual([[], [[1013, 'answers are not read fast enough']]])

    const sinks: RpcSink[] = []
    const { socket } = bare(subscribing(sinks), { maxUnsentPushBytes: 100 })
    socket.say(1)
    await turn()
    expect(sinks[0]!.event('e', rawJsonFromText('1'))).toBe(true)
    socket.bufferedAmount = 101
    expect(sinks[0]!.event('e', rawJsonFromText('2'))).toBe(false)
    expect(socket.closes).toEqual([[1013, 'messages are not read fast enough']])
    expect(socket.sent).toHaveLength(2)
  })

  it('tells subscribers when there is room again, and when the connection closes', async () => {
    const clock = new FakeClock()
    const sinks: RpcSink[] = []
    const { socket } = bare(subscribing(sinks), { clock })
    socket.say(1)
    await turn()
    const log: string[] = []
    const wait = (): void => void sinks[0]!.drained!()!.then(() => log.push('room'))
    wait()
    await turn()
    expect(log).toEqual(['room'])
    socket.bufferedAmount = 2_000_000
    expect(sinks[0]!.event('e', rawJsonFromText('1'))).toBe(false)
    wait()
    clock.advance(1_000)
    await turn()
    expect(log).toEqual(['room'])
    socket.bufferedAmount = 1_000_000
    clock.advance(1_000)
    await turn()
    expect(log).toEqual(['room', 'room'])
    socket.bufferedAmount = 2_000_000
    wait()
    socket.close()
    clock.advance(1_000)
    await turn()
    expect([log.length, clock.timers]).toEqual([3, 0])
  })

  it('opens a subscription after its reply, and ends it with the connection', async () => {
    const sinks: RpcSink[] = []
    const left: string[] = []
    const { socket, served } = bare(subscribing(sinks, left))
    socket.say(1)
    await turn()
    sinks[0]!.event('eth_subscription', rawJsonFromText('7'))
    expect(socket.sent).toEqual([
      '{"jsonrpc":"2.0","id":1,"result":"0x1"}',
      '{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":7}}',
    ])
    expect(served.session.subscriptions.size).toBe(1)
    socket.fire('close')
    expect([left, served.session.subscriptions.size]).toEqual([['0x1'], 0])
    await served.closed
  })

  it('closes with 1013 where there are too many subscriptions', async () => {
    const sinks: RpcSink[] = []
    const left: string[] = []
    const { socket } = bare(subscribing(sinks, left), { maxSubscriptions: 1 })
    socket.say(1)
    await turn()
    expect(socket.closes).toEqual([])
    socket.say(2)
    await turn()
    expect(socket.closes).toEqual([[1013, 'too many subscriptions']])
    socket.fire('close')
    expect(left.toSorted()).toEqual(['0x1', '0x2'])
  })

  it('cancels its calls when the peer leaves', async () => {
    const { handler, gone } = gated()
    const { socket, clock } = bare(handler)
    socket.say(1)
    socket.say(2)
    await turn()
    socket.fire('close')
    await turn()
    expect(gone.map(({ code }) => code)).toEqual(['aborted', 'aborted'])
    expect([socket.sent, clock.timers]).toEqual([[], 0])
  })

  it('ends for everybody when the peer leaves, though the hook of one call throws', async () => {
    const heard: string[] = []
    const { socket, served } = bare((_request, context) => {
      return new Promise((_resolve, reject) => {
        context.onCancel((why) => {
          heard.push(why.code)
          reject(why)
          throw new TypeError('a bug')
        })
      })
    })
    socket.say(1)
    socket.say(2)
    served.session.onClose(() => heard.push('session'))
    await turn()
    expect(() => socket.fire('close')).toThrow('a bug')
    await served.closed
    expect(heard).toEqual(['aborted', 'aborted', 'session'])
  })

  it('gives each message a deadline', async () => {
    const { handler, gone } = gated()
    const { socket, clock } = bare(handler, { timeoutMs: 500 })
    socket.say(1)
    await turn()
    clock.advance(500)
    await turn()
    expect(gone.map(({ code }) => code)).toEqual(['timeout'])
    expect(JSON.parse(socket.sent[0]!)).toMatchObject({ id: 1, error: { code: -32002 } })
  })

  it('closes in order: what is in flight is answered, and nothing more is begun', async () => {
    const { handler, waiting } = gated()
    const { socket, served, clock } = bare(handler, { maxInFlight: 1 })
    socket.say(1, 'begun')
    socket.say(2, 'waiting')
    const closed = served.close('restart', 'it restarts')
    socket.say(3, 'late')
    expect(socket.closes).toEqual([])
    waiting[0]!()
    await turn()
    expect(socket.sent.map((text) => (JSON.parse(text) as { result: unknown }).result)).toEqual(['begun'])
    expect(socket.closes).toEqual([[1012, 'it restarts']])
    socket.fire('close')
    await closed
    expect([waiting.length, clock.timers]).toEqual([1, 0])
  })

  it('leaves a peer that does not answer the close', async () => {
    const { socket, served, clock } = bare(echo, { closeWithinMs: 300 })
    const closed = served.close()
    expect(socket.closes).toHaveLength(1)
    clock.advance(300)
    await closed
  })

  it('closes with 1011 where its host fails', async () => {
    const { socket } = bare(echo, {
      onReply() {
        throw new Error('a bug')
      },
    })
    socket.say(1)
    await turn()
    expect(socket.closes).toEqual([[1011, 'internal error']])
  })

  it('tells its host why, though the hook has a bug, too', async () => {
    const bug = new Error('a bug')
    const thrown: unknown[] = []
    const { socket } = bare(echo, {
      onReply() {
        throw bug
      },
      onInternalError(error) {
        thrown.push(error, socket.closes.length)
        throw bug
      },
    })
    socket.say(1)
    await turn()
    expect(thrown).toEqual([bug, 0])
    expect(socket.closes).toEqual([[1011, 'internal error']])
  })

  it('tells its host of messages either way', async () => {
    const sinks: RpcSink[] = []
    const { socket, served } = bare(subscribing(sinks), { onActivity: (direction) => void socket.sent.push(direction) })
    socket.say(1)
    expect(socket.sent).toEqual(['in'])
    await turn()
    expect(socket.sent.slice(1)).toEqual(['out', '{"jsonrpc":"2.0","id":1,"result":"0x1"}'])
    served.session.sendEvent('a', { id: '0x1' }, rawJsonFromText('1'))
    const printed = '{"jsonrpc":"2.0","method":"a","params":{"subscription":"0x1","result":1}}'
    expect(socket.sent.slice(3)).toEqual(['out', printed])
    socket.bufferedAmount = Number.POSITIVE_INFINITY
    served.session.sendEvent('a', { id: '0x1' }, rawJsonFromText('2'))
    expect(socket.sent).toHaveLength(5)
  })

  it('holds the place of a message until its host has sent the answer', async () => {
    const sending: (() => void)[] = []
    const { socket } = bare(echo, {
      maxInFlight: 1,
      sendText(text) {
        socket.sent.push(text)
        return new Promise((resolve) => void sending.push(resolve))
      },
    })
    socket.say(1)
    socket.say(2)
    await turn()
    expect(socket.sent).toHaveLength(1)
    sending[0]!()
    await turn()
    expect(socket.sent).toHaveLength(2)
  })

  it('answers also what waits before it closes, where its host wants that', async () => {
    const { handler, waiting } = gated()
    const { socket, served } = bare(handler, { maxInFlight: 1, answerWaiting: true })
    socket.say(1, 'begun')
    socket.say(2, 'waiting')
    void served.close()
    socket.say(3, 'late')
    for (const i of [0, 1]) {
      expect(socket.closes).toEqual([])
      waiting[i]!()
      await turn()
    }
    expect(socket.sent.map((text) => (JSON.parse(text) as { result: unknown }).result)).toEqual(['begun', 'waiting'])
    expect(socket.closes).toEqual([[1001, 'going away']])
  })

  it("takes its host's context", async () => {
    const seen: CallContext[] = []
    const { socket, served } = bare(echo, {
      createContext(session) {
        const context = createContext({ session, timeoutMs: 60_000 })
        seen.push(context)
        return context
      },
    })
    socket.say(1)
    await turn()
    expect(seen.map(({ session }) => session)).toEqual([served.session])
    // A message that was answered is no longer heard of.
    socket.fire('close')
    expect(seen[0]!.cancelled).toBeUndefined()
  })

  it('takes no message after its host has closed the socket, nor those that wait', async () => {
    const { handler, waiting } = gated()
    const { socket } = bare(handler, { maxInFlight: 1 })
    socket.say(1)
    socket.say(2)
    socket.close(1001, 'nothing was sent for too long')
    socket.say(3)
    waiting[0]!()
    await turn()
    await turn()
    expect(waiting).toHaveLength(1)
    expect(socket.sent).toEqual([])
  })
})

describe('serveSocket over ws', () => {
  it('stops reading at its cap, answers all, and closes in order', async () => {
    const { handler, waiting } = gated()
    const host = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    let served: ServedSocket | undefined
    let accepted: WebSocket | undefined
    host.on('connection', (socket) => {
      accepted = socket
      served = serveSocket(createRpcServer(handler), socket, { maxInFlight: 2 })
    })
    await new Promise((resolve) => void host.once('listening', resolve))
    onTestFinished(() => void host.close())
    const client = new WebSocket(`ws://127.0.0.1:${(host.address() as AddressInfo).port}`)
    const answers: string[] = []
    client.on('message', (data: Buffer) => answers.push(data.toString()))
    await new Promise((resolve) => void client.once('open', resolve))
    for (const id of [1, 2]) client.send(`{"jsonrpc":"2.0","id":${id},"method":"m${id}"}`)
    await eventually(() => waiting.length === 2 && accepted!.isPaused, 'it did not stop reading')
    client.send('{"jsonrpc":"2.0","id":3,"method":"m3"}')
    waiting[0]!()
    await eventually(() => waiting.length === 3, 'it did not read on')
    const left = new Promise<number>((resolve) => void client.once('close', resolve))
    const closed = served!.close()
    waiting[1]!()
    waiting[2]!()
    await closed
    expect(await left).toBe(1001)
    expect(answers).toEqual([1, 2, 3].map((id) => `{"jsonrpc":"2.0","id":${id},"result":"m${id}"}`))
  })

  it('sends an answer in chunks as one message', async () => {
    const long = `"${'é'.repeat(60_000)}"`
    const host = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    host.on('connection', (socket) => {
      serveSocket(
        createRpcServer(async () => ({ result: rawJsonFromText(long) })),
        socket,
      )
    })
    await new Promise((resolve) => void host.once('listening', resolve))
    onTestFinished(() => void host.close())
    const client = new WebSocket(`ws://127.0.0.1:${(host.address() as AddressInfo).port}`)
    await new Promise((resolve) => void client.once('open', resolve))
    const answer = new Promise<string>(
      (resolve) => void client.once('message', (data: Buffer) => resolve(data.toString())),
    )
    client.send('{"jsonrpc":"2.0","id":1,"method":"m"}')
    expect(await answer).toBe(`{"jsonrpc":"2.0","id":1,"result":${long}}`)
    client.terminate()
  })
})
