import type { AddressInfo } from 'node:net'
import {
  createRpcClient,
  type Gap,
  rawJsonFromText,
  RpcError,
  type RpcHandler,
  type RpcResponse,
  type RpcSink,
  subscribe,
} from '@wayleave/jsonrpc-core'
import { createWebSocketTransport } from '@wayleave/jsonrpc-core/websocket'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { eventually } from './real-server.ts'
import { echo } from './support.ts'

interface Schema {
  readonly eth_chainId: { readonly params: readonly []; readonly result: string }
  readonly eth_getBalance: { readonly params: readonly [string, string?]; readonly result: string }
}
const answering =
  (response: RpcResponse): RpcHandler =>
  async () =>
    response
const failing =
  (thrown: unknown): RpcHandler =>
  async () => {
    throw thrown
  }

describe('a request', () => {
  it('gives a fresh copy of the result', async () => {
    const shared = rawJsonFromText('{"list":[1]}')
    const client = createRpcClient(answering({ result: shared }))
    const one = await client.requestUnchecked<{ list: number[] }>('m')
    one.list.push(2)
    expect(await client.requestUnchecked('m')).toEqual({ list: [1] })
  })

  it('carries its params, or none', async () => {
    const client = createRpcClient<Schema>(echo)
    expect(await client.request('eth_getBalance', ['0x1', 'latest'])).toEqual({
      method: 'eth_getBalance',
      params: ['0x1', 'latest'],
    })
    expect(await client.requestUnchecked('m')).toEqual({ method: 'm' })
  })

  it('throws the peer’s error with its code, message and data', async () => {
    const client = createRpcClient<Schema>(
      answering({ error: { code: 3, message: 'execution reverted', data: '0x08' } }),
    )
    const why = await client.request('eth_chainId', []).catch((thrown: unknown) => thrown)
    expect(why).toMatchObject({
      name: 'RpcError',
      code: 'rpc',
      message: 'eth_chainId: execution reverted (3)',
      rpc: { code: 3, data: '0x08' },
    })
  })

  it('gives each of the callers who share an answer an error of their own', async () => {
    const text = '{"code":3,"message":"no","data":{"list":[1]}}'
    const error = { code: 3, message: 'no', data: { list: [1] }, raw: rawJsonFromText(text) }
    const client = createRpcClient(answering({ error }))
    const ask = (): Promise<RpcError> =>
      client.requestUnchecked('m').catch((thrown: unknown) => thrown as RpcError) as never
    const [one, other] = await Promise.all([ask(), ask()])
    ;(one.rpc!.data as { list: number[] }).list.push(2)
    expect(other.rpc?.data).toEqual({ list: [1] })
    expect(other.rpc?.raw?.text()).toBe(text)
  })

  it('passes on why nobody answered', async () => {
    const why = new RpcError('connect', 'no connection', { delivery: 'not_sent' })
    await expect(createRpcClient(failing(why)).requestUnchecked('m')).rejects.toBe(why)
  })

  it('refuses a result that is no JSON, naming the method and quoting nothing', async () => {
    const why = (await createRpcClient(answering({ result: rawJsonFromText('secret') }))
      .requestUnchecked('m')
      .catch((thrown: unknown) => thrown)) as RpcError
    expect(why).toMatchObject({ code: 'invalid_response', message: 'm: the result is not JSON' })
    expect(why.cause).toBeUndefined()
  })

  it('lets go of a stream that nobody asked for', async () => {
    let cancelled = 0
    const result = { streaming: true, cancel: () => cancelled++, [Symbol.asyncIterator]: () => ({}) }
    await expect(createRpcClient(answering({ result } as never)).requestUnchecked('m')).rejects.toMatchObject({
      code: 'invalid_response',
    })
    expect(cancelled).toBe(1)
  })

  it('has the client’s time, or its own, and leaves no timer behind', async () => {
    const clock = new FakeClock()
    const deadlines: number[] = []
    const client = createRpcClient(
      async (_request, context) => {
        deadlines.push(context.deadline - clock.now())
        return { result: rawJsonFromText('1') }
      },
      { clock, timeoutMs: 70 },
    )
    await client.requestUnchecked('m')
    await client.requestUnchecked('m', [], { timeoutMs: 20 })
    await client.requestUnchecked('m', [], { timeoutMs: undefined })
    expect(deadlines).toEqual([70, 20, 70])
    await createRpcClient(failing(new Error('a bug')), { clock })
      .requestUnchecked('m')
      .catch(() => {})
    await client.requestUnchecked('m', 1n).catch(() => {})
    expect(clock.timers).toBe(0)
  })

  it('is aborted by its signal', async () => {
    const hang: RpcHandler = (_request, context) => new Promise((_resolve, reject) => void context.onCancel(reject))
    const controller = new AbortController()
    const asked = createRpcClient(hang).requestUnchecked('m', [], { signal: controller.signal })
    controller.abort()
    await expect(asked).rejects.toMatchObject({ code: 'aborted' })
  })
})

describe('a subscription', () => {
  function scene() {
    const log: unknown[] = []
    let sink: RpcSink | undefined
    let left = 0
    const handler = answering({
      result: rawJsonFromText('"0x1"'),
      subscription: {
        id: '0x1',
        open(to) {
          sink = to
          return () => void left++
        },
      },
    })
    const subscriber = {
      onEvent: (result: unknown) => log.push(result),
      onGap: (gap: Gap) => log.push(gap),
      onEnd: (why: RpcError | undefined) => log.push(`end: ${why?.code}`),
    }
    return {
      log,
      handler,
      subscriber,
      get sink() {
        return sink!
      },
      get left() {
        return left
      },
    }
  }

  it('passes events, gaps and the end on', async () => {
    const own = scene()
    const { id } = await subscribe(own.handler, 'eth_subscribe', ['newHeads'], own.subscriber)
    own.sink.event('eth_subscription', rawJsonFromText('{"number":"0x1"}'))
    own.sink.gap({ reason: 'reconnected', last: rawJsonFromText('{"number":"0x1"}'), first: rawJsonFromText('7') })
    own.sink.gap({ reason: 'a fork', after: { height: 3 } })
    own.sink.end(new RpcError('disconnected', 'gone'))
    expect([id, ...own.log]).toEqual([
      '0x1',
      { number: '0x1' },
      { reason: 'reconnected', last: { number: '0x1' }, first: 7 },
      { reason: 'a fork', after: { height: 3 } },
      'end: disconnected',
    ])
  })

  it('ends once, however it is left', async () => {
    const own = scene()
    const subscription = await subscribe(own.handler, 'eth_subscribe', [], own.subscriber)
    subscription.unsubscribe()
    subscription.unsubscribe()
    own.sink.event('e', rawJsonFromText('1'))
    own.sink.end(new RpcError('disconnected', 'gone'))
    expect(own.log).toEqual(['end: undefined'])
    expect(own.left).toBe(1)
    const ended = scene()
    const other = await subscribe(ended.handler, 'eth_subscribe', [], ended.subscriber)
    ended.sink.end()
    other.unsubscribe()
    expect(ended.log).toEqual(['end: undefined'])
  })

  it('ends where the peer sends an event that is no JSON', async () => {
    const own = scene()
    await subscribe(own.handler, 'eth_subscribe', [], own.subscriber)
    expect(own.sink.event('e', rawJsonFromText('nonsense'))).toBe(true)
    own.sink.event('e', rawJsonFromText('1'))
    expect(own.log).toEqual(['end: invalid_response'])
    expect(own.left).toBe(1)
    const gap = scene()
    await subscribe(gap.handler, 'eth_subscribe', [], gap.subscriber)
    gap.sink.gap({ reason: 'reconnected', first: rawJsonFromText('nonsense') })
    expect(gap.log).toEqual(['end: invalid_response'])
  })

  it('ends where an event that was held is no JSON', async () => {
    let left = 0
    const ends: unknown[] = []
    const open = (sink: RpcSink): (() => void) => {
      sink.event('eth_subscription', rawJsonFromText('nonsense'))
      return () => void left++
    }
    const handler = answering({ result: rawJsonFromText('"0x1"'), subscription: { id: '0x1', open } })
    await subscribe(handler, 'eth_subscribe', [], { onEvent: () => {}, onEnd: (why) => ends.push(why?.code) })
    expect([ends, left]).toEqual([['invalid_response'], 1])
  })

  it('is refused by a transport without subscriptions', async () => {
    const handler = answering({ result: rawJsonFromText('"0x1"') })
    await expect(subscribe(handler, 'eth_subscribe', [], { onEvent: () => {} })).rejects.toMatchObject({
      code: 'unavailable',
    })
  })
})

describe('what a subscriber throws', () => {
  const heard: unknown[] = []
  const listener = (thrown: unknown): void => void heard.push(thrown)
  const others = process.listeners('uncaughtException')
  afterEach(() => {
    process.removeListener('uncaughtException', listener)
    for (const other of others) process.on('uncaughtException', other)
    heard.length = 0
  })

  it('surfaces on its own and disturbs neither the subscription nor the connection it shares', async () => {
    process.removeAllListeners('uncaughtException')
    process.on('uncaughtException', listener)
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    server.on('connection', (socket) => {
      socket.on('message', (data) => {
        const { id, method } = JSON.parse(String(data)) as { id: number; method: string }
        socket.send(`{"jsonrpc":"2.0","id":${id},"result":"0x1"}`)
        for (const n of method === 'eth_subscribe' ? [1, 2] : []) {
          socket.send(`{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":${n}}}`)
        }
      })
    })
    await new Promise((resolve) => void server.once('listening', resolve))
    const facts = { eth_subscribe: { unsubscribe: 'eth_unsubscribe', event: 'eth_subscription' } }
    const transport = createWebSocketTransport({
      url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
      subscriptions: facts,
    })
    onTestFinished(async () => {
      await transport.close()
      server.close()
    })
    const client = createRpcClient(transport.handler)
    const events: unknown[] = []
    await subscribe(transport.handler, 'eth_subscribe', [], {
      onEvent(result) {
        events.push(result)
        throw new Error(`a bug at ${String(result)}`)
      },
    })
    await eventually(() => heard.length === 2, 'the errors did not surface')
    expect(events).toEqual([1, 2])
    expect(heard.map(String)).toEqual(['Error: a bug at 1', 'Error: a bug at 2'])
    expect(await client.requestUnchecked('m')).toBe('0x1')
  })
})
