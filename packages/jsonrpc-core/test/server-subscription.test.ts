import type { AddressInfo } from 'node:net'
import {
  type CloseReason,
  createContext,
  createRpcServer,
  printEvent,
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
  type RpcSession,
  type RpcSink,
  type RpcSubscription,
  subscribe as subscribeTo,
} from '@wayleave/jsonrpc-core'
import { closeSocket, createWebSocketTransport } from '@wayleave/jsonrpc-core/websocket'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { eventually } from './real-server.ts'
import { ask, bodyOf, bytes } from './support.ts'

function createSession() {
  const sent: string[] = []
  const closed: CloseReason[] = []
  const listeners = new Set<() => void>()
  const session: RpcSession = {
    subscriptions: new Map(),
    sendEvent: (...event) => sent.push(printEvent(...event)) > 0,
    onClose(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close(reason) {
      closed.push(reason)
      for (const listener of listeners) listener()
    },
  }
  return { session, sent, closed, listeners }
}

/** A source that counts what is open. */
function source(ids: readonly string[] = ['0x1']) {
  const state = { opened: 0, left: 0, sinks: [] as RpcSink[] }
  const next = ids.values()
  const subscription = (id: string): RpcSubscription => ({
    id,
    open(sink) {
      state.opened++
      state.sinks.push(sink)
      let left = false
      return () => {
        if (!left) state.left++
        left = true
      }
    },
  })
  const handler: RpcHandler = async () => {
    const id = next.next().value!
    return { result: rawJsonFromValue(id), subscription: subscription(id) }
  }
  return { state, handler }
}
const subscribe = bytes('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe"}')

describe('a subscription of a session', () => {
  it('tells the session of the place up to which all was sent, where the session asks', async () => {
    const reached: unknown[] = []
    const { session } = createSession()
    const { state, handler } = source(['0x1', '0x2'])
    const server = createRpcServer(handler)
    const first = await server(subscribe, createContext({ session }))
    first.written?.()
    state.sinks[0]!.reached?.({ height: 6 })
    const asking = { ...session, reached: (id: string, at: unknown) => void reached.push([id, at]) }
    const second = await server(subscribe, createContext({ session: asking }))
    second.written?.()
    state.sinks[1]!.reached?.({ height: 7 })
    expect(reached).toEqual([['0x2', { height: 7 }]])
  })

  it('gives its session the events as they are', async () => {
    const { session, sent } = createSession()
    const { state, handler } = source()
    const taken: unknown[] = []
    const sendEvent: RpcSession['sendEvent'] = (_method, { id }, result) => taken.push([id, result]) < 2
    const taking = { ...session, sendEvent }
    const reply = await createRpcServer(handler)(subscribe, createContext({ session: taking }))
    reply.written?.()
    const event = rawJsonFromValue('head')
    expect([1, 2].map(() => state.sinks[0]!.event('eth_subscription', event))).toEqual([true, false])
    expect(taken).toEqual([
      ['0x1', event],
      ['0x1', event],
    ])
    expect(sent).toEqual([])
  })

  it('ends with the connection', async () => {
    const { session } = createSession()
    const { state, handler } = source()
    const reply = await createRpcServer(handler)(subscribe, createContext({ session }))
    reply.written?.()
    expect(session.subscriptions.size).toBe(1)
    session.close('going_away')
    expect(state).toMatchObject({ opened: 1, left: 1 })
    expect(session.subscriptions.size).toBe(0)
  })

  it('ends with the connection, too, where its reply was never written', async () => {
    const { session, sent } = createSession()
    const { state, handler } = source()
    const reply = await createRpcServer(handler)(subscribe, createContext({ session }))
    session.close('going_away')
    expect(state).toMatchObject({ opened: 1, left: 1 })
    reply.written?.()
    expect(state.opened).toBe(1)
    expect(sent).toEqual([])
  })

  it('ends where the connection is gone already', async () => {
    const { session } = createSession()
    const { state, handler } = source()
    const onClose = (listener: () => void): (() => void) => {
      listener()
      return () => {}
    }
    const reply = await createRpcServer(handler)(subscribe, createContext({ session: { ...session, onClose } }))
    reply.written?.()
    expect(reply.rejected).toBeUndefined()
    expect([state.opened, state.left, session.subscriptions.size]).toEqual([1, 1, 0])
  })

  it('is left once, however often', async () => {
    const { session, listeners } = createSession()
    const { state, handler } = source()
    ;(await createRpcServer(handler)(subscribe, createContext({ session }))).written?.()
    const leave = session.subscriptions.get('0x1')!
    leave()
    leave()
    session.close('going_away')
    expect(state.left).toBe(1)
    expect(session.subscriptions.size).toBe(0)
    expect(listeners.size).toBe(0)
  })

  it('that ends upstream, even while it is opened, leaves nothing behind and closes the connection', async () => {
    for (const during of [true, false]) {
      const { session, closed, listeners } = createSession()
      let sink: RpcSink | undefined
      const why = new RpcError('disconnected', 'gone')
      const handler: RpcHandler = async () => ({
        result: rawJsonFromText('"0x1"'),
        subscription: { id: '0x1', open: (to) => ((sink = to), during && to.end(why), () => {}) },
      })
      ;(await createRpcServer(handler)(subscribe, createContext({ session }))).written?.()
      if (!during) sink!.end(why)
      expect(session.subscriptions.size).toBe(0)
      expect(closed).toEqual(['source_ended'])
      expect(listeners.size).toBe(0)
    }
  })

  it.each(['resume from block 7 (0xabc)', undefined])('that ends closes its session with %s', async (reason) => {
    const { session } = createSession()
    const reasons: unknown[] = []
    const close = (...why: unknown[]): void => void reasons.push(why)
    const { state, handler } = source()
    const context = createContext({ session: { ...session, close } })
    ;(await createRpcServer(handler)(subscribe, context)).written?.()
    state.sinks[0]!.end(new RpcError('unavailable', 'with words of a node', { reason }))
    expect(reasons).toEqual([['source_ended', reason]])
  })

  it('with a gap closes the connection, and ends', async () => {
    const { session, closed } = createSession()
    const { state, handler } = source()
    ;(await createRpcServer(handler)(subscribe, createContext({ session }))).written?.()
    state.sinks[0]!.gap({ reason: 'reconnected' })
    expect(closed).toEqual(['lost_events'])
    expect(state.left).toBe(1)
  })

  it('whose id the session has already is refused and ended; the first one goes on', async () => {
    const { session, sent } = createSession()
    const { state, handler } = source(['0x1', '0x1'])
    const server = createRpcServer(handler)
    ;(await server(subscribe, createContext({ session }))).written?.()
    const second = await server(subscribe, createContext({ session }))
    expect(await bodyOf(second)).toContain('-32603')
    second.written?.()
    expect(state).toMatchObject({ opened: 2, left: 1 })
    state.sinks[0]!.event('eth_subscription', rawJsonFromText('1'))
    expect(sent).toHaveLength(1)
    expect(session.subscriptions.size).toBe(1)
  })

  it('whose caller has gone is ended', async () => {
    const { session } = createSession()
    const { state, handler } = source()
    const context = createContext({ session })
    const served = createRpcServer(handler)(subscribe, context)
    context.cancel(new RpcError('aborted', 'the caller left'))
    await served
    expect(state).toMatchObject({ opened: 1, left: 1 })
    expect(session.subscriptions.size).toBe(0)
  })

  it('in a batch opens after the whole reply, and one whose answer is not sent is ended', async () => {
    const { session, sent } = createSession()
    const { state, handler } = source(['0x1', '0x2', '0x3'])
    const body =
      '[{"jsonrpc":"2.0","id":1,"method":"s"},{"jsonrpc":"2.0","method":"s"},{"jsonrpc":"2.0","id":3,"method":"s"}]'
    const reply = await createRpcServer(handler)(bytes(body), createContext({ session }))
    expect(state).toMatchObject({ opened: 1, left: 1 })
    sent.push(await bodyOf(reply))
    reply.written?.()
    expect([...session.subscriptions.keys()]).toEqual(['0x1', '0x3'])
    expect(state).toMatchObject({ opened: 3, left: 1 })
  })

  it('beyond the size of a batch’s reply is ended', async () => {
    const { session } = createSession()
    const { state, handler } = source(['0x1', '0x2'])
    const body = '[{"jsonrpc":"2.0","id":1,"method":"s"},{"jsonrpc":"2.0","id":2,"method":"s"}]'
    await createRpcServer(handler, { maxBatchReplyBytes: 6 })(bytes(body), createContext({ session }))
    expect([...session.subscriptions.keys()]).toEqual(['0x1'])
    expect(state).toMatchObject({ opened: 1, left: 1 })
  })
})

describe('a subscription’s pushes', () => {
  function session(): RpcSession & { readonly sent: string[] } {
    const sent: string[] = []
    return {
      sent,
      subscriptions: new Map(),
      sendEvent: (...event) => sent.push(printEvent(...event)) > 0,
      onClose: () => () => {},
      close() {},
    }
  }

  it('open after their reply was written, so that no push precedes it', async () => {
    let unsubscribed = 0
    const server = createRpcServer(async () => ({
      result: rawJsonFromText('"0x1"'),
      subscription: {
        id: '0x1',
        open(sink) {
          sink.event('eth_subscription', rawJsonFromText('{"number":"0x1"}'))
          return () => void unsubscribed++
        },
      },
    }))
    const own = session()
    const reply = await server(
      bytes('{"jsonrpc":"2.0","id":9,"method":"eth_subscribe"}'),
      createContext({ session: own }),
    )
    own.sent.push(await bodyOf(reply))
    expect(own.sent).toHaveLength(1)
    reply.written?.()
    expect(own.sent).toEqual([
      '{"jsonrpc":"2.0","id":9,"result":"0x1"}',
      '{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":{"number":"0x1"}}}',
    ])
    own.subscriptions.get('0x1')?.()
    expect(unsubscribed).toBe(1)
  })

  it('call their id as their source says', async () => {
    const server = createRpcServer(async () => ({
      result: rawJsonFromText('"7"'),
      subscription: {
        id: '7',
        idName: 'subscription_id',
        open(sink) {
          sink.event('starknet_subscriptionNewHeads', rawJsonFromText('{}'))
          return () => {}
        },
      },
    }))
    const own = session()
    const reply = await server(bytes('{"jsonrpc":"2.0","id":9,"method":"m"}'), createContext({ session: own }))
    reply.written?.()
    expect(own.sent).toEqual([
      '{"jsonrpc":"2.0","method":"starknet_subscriptionNewHeads","params":{"subscription_id":"7","result":{}}}',
    ])
  })

  it('are refused, and ended, where nothing can be pushed', async () => {
    let unsubscribed = 0
    const server = createRpcServer(async () => ({
      result: rawJsonFromText('"0x1"'),
      subscription: { id: '0x1', open: () => () => void unsubscribed++ },
    }))
    expect(await ask('{"jsonrpc":"2.0","id":9,"method":"eth_subscribe"}', server)).toContain(
      'notifications not supported',
    )
    expect(unsubscribed).toBe(1)
  })
})

it('over real connections: the reply precedes the first push, and leaving reaches the source', async () => {
  let left = 0
  const node: RpcHandler = async ({ method }) => {
    if (method !== 'eth_subscribe') return { result: rawJsonFromText('true') }
    return {
      result: rawJsonFromText('"0x1"'),
      subscription: {
        id: '0x1',
        open(sink) {
          // In the very turn in which the reply is written.
          for (let n = 1; n <= 3; n++) sink.event('eth_subscription', rawJsonFromValue(n))
          return () => void left++
        },
      },
    }
  }
  const server = createRpcServer(node)
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  const wire: string[] = []
  sockets.on('connection', (socket) => {
    const listeners = new Set<() => void>()
    socket.on('close', () => {
      for (const listener of listeners) listener()
    })
    const send = (message: string): boolean => (wire.push(message), socket.send(message), true)
    const session: RpcSession = {
      subscriptions: new Map(),
      sendEvent: (...event) => send(printEvent(...event)),
      onClose: (listener) => (listeners.add(listener), () => void listeners.delete(listener)),
      close: (...reason) => closeSocket(socket, ...reason),
    }
    socket.on('message', async (data: Buffer) => {
      const reply = await server(data, createContext({ session }))
      send(await bodyOf(reply))
      reply.written?.()
    })
  })
  await new Promise((resolve) => void sockets.once('listening', resolve))
  const subscriptions = { eth_subscribe: { unsubscribe: 'eth_unsubscribe', event: 'eth_subscription' } }
  const transport = createWebSocketTransport({
    url: `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}`,
    subscriptions,
  })
  onTestFinished(async () => {
    await transport.close()
    sockets.close()
  })
  const events: unknown[] = []
  await subscribeTo(transport.handler, 'eth_subscribe', ['newHeads'], {
    onEvent: (event) => events.push(event),
  })
  await eventually(() => events.length === 3, 'events are missing')
  expect(events).toEqual([1, 2, 3])
  expect(wire[0]).toBe('{"jsonrpc":"2.0","id":1,"result":"0x1"}')
  await transport.close()
  await eventually(() => left === 1, 'the subscription outlived its connection')
})
