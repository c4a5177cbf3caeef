import {
  createContext,
  createRpcServer,
  printEvent,
  isStream,
  rawJsonFromText,
  RpcError,
  type RpcResponse,
  type RpcSink,
  type RpcSubscription,
} from '@wayleave/jsonrpc-core'
import { handlerLaws, peerHandler } from '@wayleave/jsonrpc-core/testing'
import { evmEvents } from '@wayleave/evm-events'
import { describe, expect, it } from 'vitest'
import { scene } from './support.ts'

const deaf: RpcSink = { event: () => true, gap() {}, end() {} }

function subscriptionOf(response: RpcResponse): RpcSubscription {
  if (response.error !== undefined || response.subscription === undefined) throw new Error('no subscription came')
  return response.subscription
}

function textOf(response: RpcResponse): string {
  if (response.error !== undefined || isStream(response.result)) throw new Error('no whole result came')
  return response.result.text()
}

describe('eth_subscribe', () => {
  it("answers with an id of its own, and keeps the peer's to itself", async () => {
    const { ask, asked } = scene()
    const [one, two] = [await ask('eth_subscribe', '["newHeads"]'), await ask('eth_subscribe', '["newHeads"]')]
    expect([textOf(one), textOf(two)]).toEqual([
      '"0x102030405060708090a0b0c0d0e0f10"',
      '"0x1112131415161718191a1b1c1d1e1f20"',
    ])
    expect(subscriptionOf(one).id).toBe('0x102030405060708090a0b0c0d0e0f10')
    expect(one.meta).toEqual({ endpoint: 'one' })
    expect(asked).toEqual(['eth_subscribe ["newHeads"]', 'eth_subscribe ["newHeads"]'])
  })

  it('draws its ids from the platform by default', async () => {
    const handler = evmEvents()(peerOf('0x1'))
    const { session } = scene()
    const ids = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const request = { method: 'eth_subscribe', params: rawJsonFromText('["newHeads"]'), notification: false }
        return subscriptionOf(await handler(request, createContext({ session }))).id
      }),
    )
    expect(new Set(ids).size).toBe(50)
    for (const id of ids) expect(id).toMatch(/^0x[1-9a-f][\da-f]{20,31}$/)
  })

  it('serves callers without a session where the host says so, and still judges their params', async () => {
    const subscribe = (params: string, options?: Parameters<typeof evmEvents>[0]) =>
      evmEvents(options)(peerOf('0x1'))(
        { method: 'eth_subscribe', params: rawJsonFromText(params), notification: false },
        createContext(),
      )
    expect(subscriptionOf(await subscribe('["newHeads"]', { withoutSession: true })).id).toMatch(/^0x[\da-f]+$/)
    expect(await subscribe('{}', { withoutSession: true })).toMatchObject({ error: { code: -32602 } })
    expect(await subscribe('["newHeads"]')).toMatchObject({ error: { code: -32601 } })
  })

  it('passes the params on as they came', async () => {
    const { ask, asked } = scene()
    const params = '[ "logs",{"address":[],"unknown":12345678901234567890,"unknown":1e400} ]'
    await ask('eth_subscribe', params)
    expect(asked).toEqual([`eth_subscribe ${params}`])
  })

  it('passes events on as they come, byte for byte, and whether their receiver is slow', async () => {
    const { ask, sinks } = scene()
    const events: string[] = []
    const open = subscriptionOf(await ask('eth_subscribe', '["newHeads"]')).open
    open({ ...deaf, event: (method, result) => events.push(`${method} ${result.text()}`) < 2 })
    const texts = ['{"big":12345678901234567890,  "big":-0}', '1e400']
    expect(texts.map((text) => sinks[0]!.event('eth_subscription', rawJsonFromText(text)))).toEqual([true, false])
    expect(events).toEqual(texts.map((text) => `eth_subscription ${text}`))
  })

  it('ends with a reason where the peer ends it, whether the peer gave one or not', async () => {
    const { ask, sinks } = scene()
    const ends: unknown[] = []
    const drop = new RpcError('disconnected', 'the connection closed (1006)')
    for (const why of [undefined, drop]) {
      subscriptionOf(await ask('eth_subscribe', '["newHeads"]')).open({ ...deaf, end: (reason) => ends.push(reason) })
      sinks.at(-1)!.end(why)
    }
    expect(ends).toEqual([expect.objectContaining({ name: 'RpcError', code: 'disconnected' }), drop])
  })

  it('tells of a gap as the peer does', async () => {
    const { ask, sinks } = scene()
    const gaps: unknown[] = []
    subscriptionOf(await ask('eth_subscribe', '["newHeads"]')).open({ ...deaf, gap: (gap) => gaps.push(gap) })
    sinks[0]!.gap({ after: { height: 7 }, reason: 'behind' })
    expect(gaps).toEqual([{ after: { height: 7 }, reason: 'behind' }])
  })

  it('tells how far all was told, as the peer does', async () => {
    const { ask, sinks } = scene()
    const places: unknown[] = []
    subscriptionOf(await ask('eth_subscribe', '["newHeads"]')).open({ ...deaf, reached: (at) => places.push(at) })
    sinks[0]!.reached?.({ height: 7 })
    expect(places).toEqual([{ height: 7 }])
  })

  it('is ended at the peer by its unsubscribe', async () => {
    const { ask, left } = scene()
    const end = subscriptionOf(await ask('eth_subscribe', '["newHeads"]')).open(deaf)
    expect(left()).toBe(0)
    end()
    expect(left()).toBe(1)
  })

  it('is the error of the peer as it came', async () => {
    const error = { code: -32000, message: 'filter not found', raw: rawJsonFromText('{"code":-32000}') }
    expect(await scene(async () => ({ error })).ask('eth_subscribe', '["newHeads"]')).toEqual({ error })
  })

  it('rejects where the peer rejects, and where it answers without pushing', async () => {
    const why = new RpcError('unavailable', 'no upstream can take this call')
    await expect(scene(() => Promise.reject(why)).ask('eth_subscribe', '["newHeads"]')).rejects.toBe(why)
    const mute = scene(async () => ({ result: rawJsonFromText('"0x1"') }))
    await expect(mute.ask('eth_subscribe', '["newHeads"]')).rejects.toMatchObject({ code: 'invalid_response' })
  })

  it('lets go of a stream that stands where an id was expected', async () => {
    let cancelled = 0
    const stream = { streaming: true as const, cancel: () => void cancelled++, async *[Symbol.asyncIterator]() {} }
    const { ask } = scene(async () => ({ result: stream }))
    await expect(ask('eth_subscribe', '["newHeads"]')).rejects.toMatchObject({ code: 'invalid_response' })
    expect(cancelled).toBe(1)
  })
})

describe('without a session', () => {
  it.each(['eth_subscribe', 'eth_unsubscribe'])('%s is refused and the peer not asked', async (method) => {
    const { ask, asked } = scene(undefined, createContext())
    const refused = await ask(method, '["newHeads"]')
    expect(refused).toEqual({ error: { code: -32601, message: 'notifications not supported' } })
    expect(asked).toEqual([])
  })
})

describe('eth_unsubscribe', () => {
  it('ends a subscription once, and asks no peer by itself', async () => {
    const { ask, asked, session } = scene()
    let ended = 0
    session.subscriptions.set('0xa', () => void ended++)
    expect(textOf(await ask('eth_unsubscribe', '["0xa"]'))).toBe('true')
    expect(ended).toBe(1)
    expect(await ask('eth_unsubscribe', '["0xa"]')).toEqual({
      error: { code: -32000, message: 'subscription not found' },
    })
    expect(ended).toBe(1)
    expect(asked).toEqual([])
  })
})

it('every other method passes untouched, names of the language’s own objects too', async () => {
  const { ask, asked } = scene(async ({ method }) => ({ result: rawJsonFromText(JSON.stringify(method)) }))
  for (const method of ['eth_chainId', 'eth_subscription', 'toString'])
    expect(textOf(await ask(method))).toBe(`"${method}"`)
  expect(asked).toEqual(['eth_chainId', 'eth_subscription', 'toString'])
})

it('under a server the reply goes first, and pushes carry the id of the reply', async () => {
  const { handler, session, sinks } = scene()
  const sent: string[] = []
  const context = createContext({
    session: { ...session, sendEvent: (...event) => sent.push(printEvent(...event)) > 0 },
  })
  const body = '{"jsonrpc":"2.0","id":7,"method":"eth_subscribe","params":["newHeads"]}'
  const reply = await createRpcServer(handler)(new TextEncoder().encode(body), context)
  expect(sinks).toEqual([])
  reply.written!()
  sinks[0]!.event('eth_subscription', rawJsonFromText('{"number":"0x1"}'))
  const { result: id } = JSON.parse(reply.body as string) as { result: string }
  expect(sent).toEqual([
    `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":{"number":"0x1"}}}`,
  ])
  expect([...session.subscriptions.keys()]).toEqual([id])
})

describe('it obeys the laws of a handler', () => {
  for (const law of handlerLaws({ create: (peer) => evmEvents()(peerHandler(peer)) })) it(law.name, law.run)
})

function peerOf(id: string): ReturnType<typeof peerHandler> {
  return async () => ({ result: rawJsonFromText(`"${id}"`), subscription: { id, open: () => () => {} } })
}
