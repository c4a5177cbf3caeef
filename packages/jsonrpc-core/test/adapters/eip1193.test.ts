import { getEventListeners } from 'node:events'
import {
  createContext,
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
  type RpcErrorOptions,
  type RpcHandler,
  type RpcSink,
} from '@wayleave/jsonrpc-core'
import { createMemoryPair, FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createProvider, type Provider, ProviderRpcError } from '@wayleave/jsonrpc-core/adapters'
import { createWebSocketTransport } from '@wayleave/jsonrpc-core/websocket'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../real-server.ts'
import { echo } from '../support.ts'

const subscriptions = { eth_subscribe: { unsubscribe: 'eth_unsubscribe', event: 'eth_subscription' } }
const options = { subscriptions, chainIdMethod: 'eth_chainId' }
const failing =
  (why: RpcError): RpcHandler =>
  async () => {
    throw why
  }
const turn = (): Promise<unknown> => new Promise((resolve) => void setImmediate(resolve))

function hear(provider: Provider): unknown[] {
  const heard: unknown[] = []
  provider
    .on('message', (message) => heard.push(['message', message]))
    .on('connect', (info) => heard.push(['connect', info]))
    .on('disconnect', ({ code }) => heard.push(['disconnect', code]))
    .on('chainChanged', (id) => heard.push(['chainChanged', id]))
  return heard
}

/** A handler that subscribes, and what it hands out. */
function feed() {
  const sinks: RpcSink[] = []
  const left: string[] = []
  const handler: RpcHandler = async ({ method }) => {
    if (method === 'eth_chainId') return { result: rawJsonFromText('"0x1"') }
    const id = `0x${sinks.length + 10}`
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
  return { handler, sinks, left }
}

describe('request', () => {
  it('passes method and params, of an array, of an object and of neither', async () => {
    const provider = createProvider(echo)
    expect(await provider.request({ method: 'm', params: [1] })).toEqual({ method: 'm', params: [1] })
    expect(await provider.request({ method: 'm', params: { a: 1 } })).toEqual({ method: 'm', params: { a: 1 } })
    expect(await provider.request({ method: 'm' })).toEqual({ method: 'm' })
  })

  it.each<[string, RpcError, object]>([
    ['no connection', new RpcError('connect', 'no connection'), { code: 4900, message: 'no connection' }],
    ['a broken one', new RpcError('disconnected', 'it broke'), { code: 4900, message: 'it broke' }],
    ['a timeout', new RpcError('timeout', 'too late'), { code: -32002 }],
    ['too long an answer', new RpcError('too_large', 'too long'), { code: -32003 }],
    ['a full queue', new RpcError('overloaded', 'full'), { code: -32005 }],
    ['no usable answer', new RpcError('invalid_response', 'odd'), { code: -32603 }],
    ...(
      [
        [{ httpStatus: 401 }, 4100],
        [{ httpStatus: 429 }, -32005],
        [{ httpStatus: 503 }, -32603],
        [{ httpStatus: 503, rpc: { code: -32005, message: 'busy' } }, -32005],
      ] satisfies [RpcErrorOptions, number][]
    ).map(([more, code]): [string, RpcError, object] => [
      `HTTP ${more.httpStatus}`,
      new RpcError('http_status', 'a status', more),
      { code },
    ]),
  ])('rejects with a ProviderRpcError after %s', async (_name, why, face) => {
    const rejected = await createProvider(failing(why))
      .request({ method: 'm' })
      .catch((thrown: unknown) => thrown)
    expect(rejected).toBeInstanceOf(ProviderRpcError)
    expect(rejected).toMatchObject({ ...face, cause: why })
  })

  it("keeps the peer's code, message and data", async () => {
    const error = { code: 3, message: 'execution reverted', data: '0x08c379a0' }
    const provider = createProvider(async () => ({ error }))
    await expect(provider.request({ method: 'eth_call' })).rejects.toMatchObject({ name: 'ProviderRpcError', ...error })
  })

  it('is given up by a signal', async () => {
    const provider = createProvider(
      (_request, context) => new Promise((_resolve, reject) => void context.onCancel(reject)),
    )
    const abort = new AbortController()
    const rejected = provider.request({ method: 'm' }, { signal: abort.signal })
    abort.abort()
    await expect(rejected).rejects.toMatchObject({ code: -32603, cause: { code: 'aborted' } })
    await expect(provider.request({ method: 'm' }, { signal: abort.signal })).rejects.toMatchObject({
      cause: { code: 'aborted' },
    })
  })

  it('leaves nothing on a signal that many calls share', async () => {
    const { signal } = new AbortController()
    const provider = createProvider(echo)
    await Promise.all(Array.from({ length: 20 }, () => provider.request({ method: 'm' }, { signal })))
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('refuses what is no call', async () => {
    await expect(createProvider(echo).request({} as never)).rejects.toMatchObject({ code: -32600 })
    await expect(createProvider(echo).request({ method: 'm', params: [1n] })).rejects.toBeInstanceOf(ProviderRpcError)
  })
})

describe('subscriptions', () => {
  it('come as messages, after the id is known, until they are ended', async () => {
    const { handler, sinks, left } = feed()
    const provider = createProvider(handler, { subscriptions })
    const heard = hear(provider)
    const id = await provider.request({ method: 'eth_subscribe', params: ['newHeads'] })
    expect(sinks).toHaveLength(0)
    await eventually(() => sinks.length === 1, 'it was not opened')
    sinks[0]!.event('eth_subscription', rawJsonFromText('{"number":"0x1"}'))
    sinks[0]!.gap({ reason: 'reconnected' })
    expect(heard).toEqual([
      ['message', { type: 'eth_subscription', data: { subscription: id, result: { number: '0x1' } } }],
      ['message', { type: 'subscription_gap', data: { subscription: id, reason: 'reconnected' } }],
    ])
    expect(await provider.request({ method: 'eth_unsubscribe', params: [id] })).toBe(true)
    expect(left).toEqual([id])
    expect(await provider.request({ method: 'eth_unsubscribe', params: [id] })).toBe(false)
  })

  it('may be ended before they are opened', async () => {
    const { handler, sinks, left } = feed()
    const clock = new FakeClock()
    const provider = createProvider(handler, { subscriptions, clock })
    const id = await provider.request({ method: 'eth_subscribe' })
    await provider.request({ method: 'eth_unsubscribe', params: [id] })
    expect([left, sinks.length, clock.timers]).toEqual([[id], 1, 0])
  })

  it('lose no event over a real transport, and their end is told', async () => {
    const { handler, sinks } = feed()
    const pair = createMemoryPair(handler)
    const transport = createWebSocketTransport({ url: 'ws://memory', connect: pair.connect, subscriptions })
    onTestFinished(() => transport.close())
    const provider = createProvider(transport.handler, options)
    const heard = hear(provider)
    const id = await provider.request({ method: 'eth_subscribe', params: [] })
    await eventually(() => sinks.length === 1, 'the far side was not opened')
    for (const n of [1, 2, 3]) sinks[0]!.event('eth_subscription', rawJsonFromValue(n))
    const results = (): unknown[] =>
      heard.flatMap((event) => {
        const [, value] = event as [string, { type?: string; data?: { result: unknown } }]
        return value.type === 'eth_subscription' ? [value.data?.result] : []
      })
    await eventually(() => results().length === 3, 'events are missing')
    expect(results()).toEqual([1, 2, 3])
    pair.drop()
    await eventually(() => heard.some((event) => (event as string[])[0] === 'disconnect'), 'no disconnect was told')
    expect(heard).toContainEqual(['connect', { chainId: '0x1' }])
    expect(heard).toContainEqual([
      'message',
      { type: 'subscription_end', data: { subscription: id, reason: expect.any(String) } },
    ])
    expect(await provider.request({ method: 'eth_chainId' })).toBe('0x1')
    expect(heard.at(-1)).toEqual(['connect', { chainId: '0x1' }])
  })
})

describe('events', () => {
  it('tell when a peer answers, is gone and answers again, and of another chain', async () => {
    let answer: string | RpcError = '0x1'
    const asked: string[] = []
    const provider = createProvider(async ({ method }) => {
      asked.push(method)
      if (answer instanceof RpcError) throw answer
      return { result: rawJsonFromValue(answer) }
    }, options)
    const heard = hear(provider)
    await provider.request({ method: 'm' })
    await turn()
    expect(heard).toEqual([['connect', { chainId: '0x1' }]])
    answer = new RpcError('connect', 'gone')
    await provider.request({ method: 'm' }).catch(() => {})
    await provider.request({ method: 'm' }).catch(() => {})
    answer = '0x2'
    await provider.request({ method: 'eth_chainId' })
    await provider.request({ method: 'm' })
    await turn()
    expect(heard.slice(1)).toEqual([
      ['disconnect', 1013],
      ['chainChanged', '0x2'],
      ['connect', { chainId: '0x2' }],
    ])
    expect(asked.filter((method) => method === 'eth_chainId')).toHaveLength(2)
  })

  it('cost no call where nobody listens', async () => {
    const asked: string[] = []
    const provider = createProvider(async ({ method }) => {
      asked.push(method)
      return { result: rawJsonFromText('1') }
    }, options)
    await provider.request({ method: 'm' })
    await turn()
    expect(asked).toEqual(['m'])
  })

  it('reach listeners until they are removed', async () => {
    const provider = createProvider(echo)
    const heard: unknown[] = []
    const listener = (error: ProviderRpcError): void => void heard.push(error.code)
    provider.on('disconnect', listener).on('disconnect', listener).removeListener('disconnect', listener)
    await provider.request({ method: 'm' })
    provider.close()
    expect(heard).toEqual([])
  })
})

describe('close', () => {
  it('ends a subscription whose answer comes at the same moment', async () => {
    for (let turns = 0; turns < 8; turns++) {
      const { handler, left } = feed()
      const provider = createProvider(handler, options)
      const asked = provider.request({ method: 'eth_subscribe', params: [] }).catch(() => {})
      for (let i = 0; i < turns; i++) await Promise.resolve()
      provider.close()
      await asked
      await turn()
      expect([turns, left]).toEqual([turns, ['0x10']])
    }
  })

  it('ends subscriptions and calls, tells it, and refuses what comes later', async () => {
    const { handler, sinks, left } = feed()
    let context = createContext()
    const provider = createProvider(
      (request, given) => {
        if (request.method !== 'hang') return handler(request, given)
        context = given as typeof context
        return new Promise((_resolve, reject) => void given.onCancel(reject))
      },
      { subscriptions },
    )
    const heard = hear(provider)
    const id = await provider.request({ method: 'eth_subscribe' })
    await eventually(() => sinks.length === 1, 'it was not opened')
    const hanging = provider.request({ method: 'hang' }).catch((thrown: unknown) => thrown)
    provider.close()
    provider.close()
    expect(await hanging).toMatchObject({ code: 4900 })
    expect(context.cancelled?.code).toBe('aborted')
    expect(left).toEqual([id])
    expect(heard).toEqual([['disconnect', 1000]])
    await expect(provider.request({ method: 'm' })).rejects.toMatchObject({ code: 4900 })
  })
})
