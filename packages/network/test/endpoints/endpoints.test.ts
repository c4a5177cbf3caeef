import { evmMethods } from '@wayleave/evm-types'
import { createUndiciPort, type UndiciPort } from '@wayleave/upstream/node'
import { afterAll, describe, expect, it } from 'vitest'
import {
  type Clock,
  createContext,
  RpcError,
  type SocketLike,
  type SocketPort,
  systemClock,
} from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createTurns } from '@wayleave/upstream'
import { splitCredentials } from '../../src/config/split-credentials.ts'
import { createEndpoint } from '../../src/endpoints/endpoints.ts'
import { startNode } from '../nodes.ts'
import { startPushingNode } from '../pushing-node.ts'
import { call, until } from '../support.ts'

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

describe('credentials in a URL', () => {
  it.each([
    ['https://node/k', 'https://node/k', undefined],
    ['https://user:pass@node/k?a=b', 'https://node/k?a=b', basic('user', 'pass')],
    ['https://:pass@node', 'https://node/', basic('', 'pass')],
    ['https://user@node', 'https://node/', basic('user', '')],
    ['wss://u%3Aser:p%40ss%20w%C3%B6rd@node:1/', 'wss://node:1/', basic('u:ser', 'p@ss wörd')],
    ['https://user:100%@node', 'https://node/', basic('user', '100%')],
    ['HTTPS://Node/K', 'https://node/K', undefined],
  ])('%s become a header', (configured, url, authorization) => {
    expect(splitCredentials(configured)).toEqual({ url, headers: authorization === undefined ? {} : { authorization } })
  })

  it.each(['authorization', 'Authorization'])('give way to the header %s', (name) => {
    const headers = { [name]: 'Bearer t', 'x-a': 'b' }
    expect(splitCredentials('https://user:pass@node', headers)).toEqual({ url: 'https://node/', headers })
  })

  it('stand beside other headers', () => {
    expect(splitCredentials('https://u:p@node', { 'x-a': 'b' }).headers).toEqual({
      authorization: basic('u', 'p'),
      'x-a': 'b',
    })
  })
})

describe('an endpoint', () => {
  const port = createUndiciPort()
  afterAll(() => port.close())
  const options = {
    accountOf: () => ({ take: () => true, give() {}, refusal: () => new Error('no room') }),
    openPort: () => port,
    facts: evmMethods,
    chainIdMethod: 'eth_chainId',
    maxResponseBytes: 1_000_000,
    clock: systemClock,
    readingTurns: createTurns({ nextTurn: (run) => void setImmediate(run) }),
  }

  it.each([
    ['http://node', false, 'upstream-3'],
    ['https://node', false, 'upstream-3'],
    ['ws://node', true, 'upstream-3'],
    ['WSS://node', true, 'upstream-3'],
  ])('of %s pushes: %s; it is called by its place', (url, carriesSubscriptions, name) => {
    expect(createEndpoint(url, 2, options)).toMatchObject({ carriesSubscriptions, name })
  })

  it('opens its WebSockets through a port that is given, and waits by its own randomness', async () => {
    const clock = new FakeClock()
    const opened: string[] = []
    const connect: SocketPort = (url) => {
      opened.push(url)
      const addEventListener = (type: string, report: (event: { readonly code: number }) => void): void => {
        if (type === 'close') queueMicrotask(() => report({ code: 1006 }))
      }
      return {
        bufferedAmount: 0,
        send() {},
        close() {},
        addEventListener: addEventListener as SocketLike['addEventListener'],
      }
    }
    const { handler } = createEndpoint('ws://node', 0, { ...options, connect, random: () => 0.5, clock })
    await expect(handler(call('eth_chainId'), createContext({ clock }))).rejects.toMatchObject({ code: 'connect' })
    await expect(handler(call('eth_chainId'), createContext({ clock }))).rejects.toMatchObject({ retryAfterMs: 50 })
    expect(opened).toEqual(['ws://node/'])
  })

  it('is called by its name where it has one', () => {
    expect(createEndpoint({ url: 'http://node', name: 'alchemy' }, 0, options).name).toBe('alchemy')
  })

  it('sends its credentials and headers, and no user in its URL', async () => {
    const node = await startNode()
    const { handler } = createEndpoint(
      { url: node.url.replace('//', '//user:pass@'), headers: { 'X-Api-Key': 'k' } },
      0,
      options,
    )
    await handler(call('eth_chainId'), createContext())
    expect(node.headers[0]).toMatchObject({
      authorization: basic('user', 'pass'),
      'x-api-key': 'k',
      host: new URL(node.url).host,
    })
    await node.close()
  })

  it.each([
    ['http://node', undefined, undefined],
    ['http://node', true, 'gzip'],
    ['https://node', undefined, 'gzip'],
    ['HTTPS://node', undefined, 'gzip'],
    ['https://node', false, undefined],
  ])('of %s with compress: %s asks for the coding %s', async (url, compress, coding) => {
    const asked: (readonly string[])[] = []
    const http: UndiciPort['http'] = async ({ headers }) => {
      asked.push(headers)
      throw new RpcError('connect', 'nobody is there')
    }
    const openPort = () => ({ http, renew() {}, close: async () => {} })
    const { handler } = createEndpoint({ url, ...(compress !== undefined && { compress }) }, 0, {
      ...options,
      openPort,
    })
    await expect(handler(call('eth_chainId'), createContext())).rejects.toThrow('nobody')
    const [headers = []] = asked
    const at = headers.indexOf('accept-encoding')
    expect(at < 0 ? undefined : headers[at + 1]).toBe(coding)
  })

  it('of a node that is reached both ways sends calls by HTTP and subscriptions by WebSocket, under one name', async () => {
    const node = await startNode()
    const pushing = await startPushingNode()
    const headers = { 'X-Api-Key': 'k' }
    const upstream = { url: node.url, ws: pushing.url, name: 'own', headers }
    const { name, handler, carriesSubscriptions, close } = createEndpoint(upstream, 0, {
      ...options,
      openPort: () => createUndiciPort(),
    })
    expect([name, carriesSubscriptions]).toEqual(['own', true])
    await handler(call('eth_chainId'), createContext())
    const opened = await handler(call('eth_subscribe', ['newHeads']), createContext())
    if (opened.error !== undefined) throw new Error('a subscription was expected')
    let isOver = false
    opened.subscription!.open({ event: () => true, gap() {}, end: () => void (isOver = true) })
    expect([node.calls, pushing.calls]).toEqual([['eth_chainId'], ['eth_subscribe']])
    expect(node.headers[0]).toMatchObject({ 'x-api-key': 'k' })
    await close()
    await until(() => isOver)
    await pushing.close()
    await node.close()
  })

  it.each([
    ['that falls silent ends its subscriptions, as events may be missing', true],
    ['that is quiet and answers keeps them', false],
  ])('%s', async (_what, fallsSilent) => {
    const node = await startPushingNode()
    let now = 0
    let timers: { readonly at: number; readonly run: () => void }[] = []
    const clock: Clock = {
      now: () => now,
      date: () => now,
      after(ms, run) {
        const timer = { at: now + ms, run }
        timers.push(timer)
        return () => void (timers = timers.filter((one) => one !== timer))
      },
    }
    function pass(ms: number): void {
      now += ms
      const due = timers.filter(({ at }) => at <= now)
      timers = timers.filter(({ at }) => at > now)
      for (const { run } of due) run()
    }
    const endpoint = createEndpoint(node.url, 0, { ...options, clock })
    const ends: (RpcError | undefined)[] = []
    const response = await endpoint.handler(call('eth_subscribe', ['newHeads']), createContext())
    if (response.error !== undefined) throw new Error('a subscription was expected')
    response.subscription!.open({ event: () => true, gap() {}, end: (why) => void ends.push(why) })
    if (fallsSilent) node.held = []
    pass(15_000)
    await until(() => node.calls.at(-1) === 'eth_chainId')
    // By now its answer has come, too, where one was sent.
    if (!fallsSilent) await endpoint.handler(call('eth_subscribe', ['newHeads']), createContext())
    pass(5_000)
    expect(ends.map((why) => why?.code)).toEqual(fallsSilent ? ['disconnected'] : [])
    const closed = endpoint.close()
    await node.close()
    await closed
  })
})
