import {
  createContext,
  createHttpTransport,
  createRpcClient,
  isStream,
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
  type RpcSink,
  streamAnswers,
} from '@wayleave/jsonrpc-core'
import { createMemoryPair } from '@wayleave/jsonrpc-core/testing'
import { createWebSocketTransport } from '@wayleave/jsonrpc-core/websocket'
import { createScriptedPeer, handlerLaws, peerHandler } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../real-server.ts'
import { call, echo } from '../support.ts'
import { listen } from '../websocket-peer.ts'

const subscriptions = { eth_subscribe: { unsubscribe: 'eth_unsubscribe', event: 'eth_subscription' } }

function overHttp(handler: RpcHandler): RpcHandler {
  const pair = createMemoryPair(handler)
  onTestFinished(() => pair.close())
  return createHttpTransport({ url: 'http://memory', http: pair.http, answers: streamAnswers() })
}

function overSocket(handler: RpcHandler): RpcHandler {
  const pair = createMemoryPair(handler)
  const transport = createWebSocketTransport({ url: 'ws://memory', connect: pair.connect, subscriptions })
  onTestFinished(() => transport.close())
  return transport.handler
}

/** Laws without a subject: a rejection on the far side of a WebSocket is an error answer on the near side. */
const answeredOverSocket = new Set([
  'rejects with an RpcError when the peer drops the connection',
  'never repeats a write of unknown delivery',
  'serves the next call after a dropped one',
])

describe('the pair over HTTP', () => {
  for (const law of handlerLaws({ create: (peer) => overHttp(peerHandler(peer)) })) it(law.name, law.run)
})

describe('the pair over a WebSocket', () => {
  const laws = handlerLaws({ create: (peer) => overSocket(peerHandler(peer)) })
  for (const law of laws.filter(({ name }) => !answeredOverSocket.has(name))) it(law.name, law.run)
})

describe.each([
  ['HTTP', overHttp],
  ['a WebSocket', overSocket],
])('the pair over %s', (_name, wire) => {
  it('answers through real frames', async () => {
    const client = createRpcClient(wire(echo))
    expect(await client.requestUnchecked('m', [1, { a: 'é' }])).toEqual({ method: 'm', params: [1, { a: 'é' }] })
    await expect(
      createRpcClient(wire(async () => ({ error: { code: 3, message: 'no', data: '0x' } }))).requestUnchecked('m'),
    ).rejects.toMatchObject({ rpc: { code: 3, message: 'no', data: '0x' } })
  })

  it('cancels the far side when the caller leaves', async () => {
    let why: RpcError | undefined
    const node: RpcHandler = (_request, context) =>
      new Promise((_resolve, reject) => {
        context.onCancel((reason) => {
          why = reason
          reject(reason)
        })
      })
    const pair = createMemoryPair(node)
    const transport = createWebSocketTransport({ url: 'ws://memory', connect: pair.connect })
    const handler =
      wire === overHttp
        ? createHttpTransport({ url: 'http://memory', http: pair.http, answers: streamAnswers() })
        : transport.handler
    const context = createContext()
    const left = handler(call('m'), context).catch((reason: RpcError) => reason)
    await new Promise((resolve) => void setImmediate(resolve))
    if (wire === overHttp) context.cancel(new RpcError('aborted', 'gone'))
    else await transport.close()
    expect(await left).toMatchObject({ code: 'aborted' })
    await eventually(() => why !== undefined, 'the far side was not cancelled')
    expect(why).toMatchObject({ code: 'aborted' })
    pair.close()
  })
})

describe('drop', () => {
  it('breaks what is open, and serves what comes later', async () => {
    const waiting: (() => void)[] = []
    const node: RpcHandler = async ({ method }) => {
      if (method === 'slow') await new Promise<void>((resolve) => void waiting.push(resolve))
      return { result: rawJsonFromText('1') }
    }
    const pair = createMemoryPair(node)
    const transport = createWebSocketTransport({ url: 'ws://memory', connect: pair.connect })
    onTestFinished(() => transport.close())
    for (const handler of [
      createHttpTransport({ url: 'http://memory', http: pair.http, answers: streamAnswers() }),
      transport.handler,
    ]) {
      const context = createContext({ timeoutMs: 15_000 })
      const broken = handler(call('slow'), context).catch((why: RpcError) => why)
      await eventually(() => waiting.length === 1, 'the call did not come')
      pair.drop()
      expect(await broken).toMatchObject({ code: 'disconnected', delivery: 'unknown' })
      waiting.pop()!()
      expect(await createRpcClient(handler).requestUnchecked('fast')).toBe(1)
      context.release()
    }
  })

  it('breaks a stream half-way, and frees it', async () => {
    const peer = createScriptedPeer(() => ({ kind: 'stream', piece: `"${'a'.repeat(300_000)}"`, count: 4 }))
    const pair = createMemoryPair(peerHandler(peer))
    const context = createContext({ acceptStream: true })
    const { result } = await createHttpTransport({ url: 'http://memory', http: pair.http, answers: streamAnswers() })(
      call('m'),
      context,
    )
    expect(isStream(result!)).toBe(true)
    const rest = (result as unknown as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
    await rest.next()
    pair.drop()
    const why: unknown = await (async () => {
      while ((await rest.next()).done !== true);
    })().catch((thrown: unknown) => thrown)
    expect(why).toMatchObject({ name: 'RpcError', code: 'disconnected' })
    expect(peer.openBodies).toBe(0)
    context.release()
  })

  it('ends subscriptions on both sides', async () => {
    let left = 0
    let push: RpcSink | undefined
    const node: RpcHandler = async () => ({
      result: rawJsonFromValue('0x1'),
      subscription: {
        id: '0x1',
        open(sink) {
          push = sink
          return () => void left++
        },
      },
    })
    const pair = createMemoryPair(node)
    const transport = createWebSocketTransport({ url: 'ws://memory', connect: pair.connect, subscriptions })
    onTestFinished(() => transport.close())
    const { subscription } = (await transport.handler(call('eth_subscribe'), createContext())) as never as {
      subscription: { open(sink: RpcSink): () => void }
    }
    const log: string[] = []
    subscription.open(listen(log))
    await eventually(() => push !== undefined, 'the far side was not opened')
    push!.event('eth_subscription', rawJsonFromText('7'))
    await eventually(() => log.length === 1, 'no event came')
    pair.drop()
    await eventually(() => log.length === 2 && left === 1, 'the subscription did not end')
    expect(log).toEqual(['eth_subscription 7', 'end disconnected'])
  })

  it('is for good after close', async () => {
    const pair = createMemoryPair(echo)
    pair.close()
    const transport = createWebSocketTransport({ url: 'ws://memory', connect: pair.connect })
    for (const handler of [
      createHttpTransport({ url: 'http://memory', http: pair.http, answers: streamAnswers() }),
      transport.handler,
    ]) {
      await expect(createRpcClient(handler, { timeoutMs: 15_000 }).requestUnchecked('m')).rejects.toMatchObject({
        code: 'connect',
        delivery: 'not_sent',
      })
    }
    await transport.close()
  })
})
