import { realSurroundings, type RunningGateway } from '@wayleave/gateway'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type PushingNode, startPushingNode } from '../../pushing-node.ts'
import {
  basic,
  closedKey,
  elsewhereKey,
  exchange,
  frame,
  key,
  masked,
  secret,
  secretRequired,
  send,
  startNode,
  startTestGateway,
  type TestNode,
  until,
} from '../../support.ts'
import { openSocket, rawUpgraded, upgrade } from '../../web-socket-client.ts'

let node: PushingNode
let httpNode: TestNode
let gateway: RunningGateway
let url: string

beforeAll(async () => {
  httpNode = await startNode()
})
afterAll(() => httpNode.close())

beforeEach(async () => {
  node = await startPushingNode()
  gateway = await startTestGateway([httpNode.url, node.url], {
    limits: { maxSubscriptions: 5, maxInFlight: 4, maxBodyBytes: 10_000, requestTimeoutMs: 5_000 },
  })
  url = `${gateway.ws}/ws/v3/${key}`
})

afterEach(async () => {
  await gateway.close(0)
  await node.close()
})

const subscribe = (id: unknown = 1): string => frame('eth_subscribe', ['newHeads'], id)

describe('a connection is refused before it is upgraded', () => {
  const plain = (text: string, realm: string): string =>
    [
      'HTTP/1.1 401 Unauthorized',
      'Content-Type: text/plain; charset=utf-8',
      `Content-Length: ${text.length}`,
      'Connection: close',
      'Vary: Origin',
      'X-Content-Type-Options: nosniff',
      'X-Trace-Id: <id>',
      `WWW-Authenticate: Basic realm="${realm}"`,
      '',
      text,
    ].join('\r\n')
  const json = (status: string, error: { code: number; message: string }): string => {
    const data = { traceId: '<id>' }
    const body = `${JSON.stringify({ jsonrpc: '2.0', id: null, error: { ...error, data } })}\n`
    const head = [
      `HTTP/1.1 ${status}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length - '<id>'.length + 32}`,
      'Connection: close',
      'Vary: Origin',
      'X-Content-Type-Options: nosniff',
      'X-Trace-Id: <id>',
    ]
    return [...head, '', body].join('\r\n')
  }
  const wrong = plain('invalid project id or project secret\n', 'Auth failure, invalid project id or project secret')

  it.each([
    ['without a key', '/ws/v3', [], plain('project id required in the url\n', 'Project ID is required in the URL')],
    ['with an unknown key', '/ws/v3/nobody', [], plain('invalid project id\n', 'Auth failure, invalid project id')],
    ['with a wrong secret', `/ws/v3/${key}`, [`Authorization: ${basic('', 'wrong')}`], wrong],
    [
      'without a secret that is required',
      `/ws/v3/${closedKey}`,
      [],
      json('403 Forbidden', { code: -32002, message: secretRequired }),
    ],
    [
      'for a network that the project may not use',
      `/ws/v3/${elsewhereKey}`,
      [],
      json('403 Forbidden', { code: -32002, message: 'project ID does not have access to mainnet' }),
    ],
    [
      'for an unknown network',
      `/polygon/ws/v3/${key}`,
      [],
      json('404 Not Found', { code: -32002, message: 'unknown network "polygon"' }),
    ],
    [
      'for an unknown version',
      `/ws/v4/${key}`,
      [],
      json('404 Not Found', { code: -32600, message: 'unknown version "v4"; use v3' }),
    ],
    [
      'at the path of HTTP',
      `/v3/${key}`,
      [],
      json('404 Not Found', { code: -32600, message: 'WebSocket connections are taken at /ws/v3/<key>' }),
    ],
    [
      'nowhere',
      '/',
      [],
      json('404 Not Found', {
        code: -32600,
        message: 'no such path; JSON-RPC is at /v3/<key>, WebSocket at /ws/v3/<key>',
      }),
    ],
  ])('%s', async (_what, path, headers, expected) => {
    expect(masked(await exchange(gateway.rpc, upgrade(path, headers)))).toBe(expected)
  })

  it.each([
    ['of an old version', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Version: 7'],
    ['without a key of the handshake', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'X: y'],
    ['with a malformed key of the handshake', 'dGhlIHNhbXBsZSBub25jZQ==', 'short'],
  ])('%s', async (_what, from, to) => {
    expect(masked(await exchange(gateway.rpc, upgrade(`/ws/v3/${key}`).replace(from, to)))).toMatch(
      /^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/json\r\n[^]*\r\nX-Trace-Id: <id>\r\nSec-WebSocket-Version: 13\r\n\r\n\{"jsonrpc":"2\.0","id":null,"error":\{"code":-32600,[^]*,"data":\{"traceId":"<id>"\}\}\}\n$/,
    )
  })

  it('by another method', async () => {
    expect(await exchange(gateway.rpc, upgrade(`/ws/v3/${key}`).replace('GET', 'POST'))).toMatch(
      /^HTTP\/1\.1 405 Method Not Allowed\r\n[^]*\r\nX-Trace-Id: [\da-f]{32}\r\nAllow: GET\r\n/,
    )
  })
})

describe('a connection', () => {
  it('is opened with the secret in the user part of its URL', async () => {
    const client = await openSocket(url.replace('//', `//:${secret}@`).replace(key, closedKey))
    client.send(frame('eth_chainId'))
    expect(await client.next()).toMatchObject({ id: 1, result: { method: 'eth_chainId' } })
    expect(await client.close()).toBe(1005)
  })

  it('may be to another network, by its path or by its host', async () => {
    const byPath = await openSocket(`${gateway.ws}/other/ws/v3/${elsewhereKey}`)
    const byHost = await openSocket(`${gateway.ws}/ws/v3/${elsewhereKey}`, { host: 'other.example.org' })
    await Promise.all([byPath.close(), byHost.close()])
  })

  it('answers each call under its own id, and notifications not at all', async () => {
    const client = await openSocket(url)
    client.send('{"jsonrpc":"2.0","method":"eth_chainId"}')
    client.send(frame('eth_chainId', [], 'ü'))
    client.send('{"jsonrpc":"2.0","id":12345678901234567890,"method":"eth_chainId"}')
    await until(() => client.messages.length === 2)
    expect(client.messages.toSorted()).toEqual([
      '{"jsonrpc":"2.0","id":"ü","result":{"method":"eth_chainId","params":[]}}',
      '{"jsonrpc":"2.0","id":12345678901234567890,"result":{"method":"eth_chainId"}}',
    ])
    await client.close()
  })

  it('answers a batch with a batch', async () => {
    const client = await openSocket(url)
    client.send(`[${frame('a', [], 1)},{"jsonrpc":"2.0","method":"b"},${frame('admin_peers', [], 3)},7]`)
    expect(await client.nextUntraced()).toEqual([
      { jsonrpc: '2.0', id: 1, result: { method: 'a', params: [] } },
      {
        jsonrpc: '2.0',
        id: 3,
        error: { code: -32601, message: 'the method admin_peers does not exist/is not available' },
      },
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'invalid request' } },
    ])
    await client.close()
  })

  it.each(['{', '', 'null', '[]'])('answers %j with a protocol error, and stays', async (text) => {
    const client = await openSocket(url)
    client.send(text)
    expect(await client.next()).toMatchObject({
      id: null,
      error: { code: text === '{' || text === '' ? -32700 : -32600 },
    })
    client.send(frame('a'))
    expect(await client.next()).toMatchObject({ id: 1 })
    await client.close()
  })

  it('takes a binary message as text', async () => {
    const client = await openSocket(url)
    client.send(Buffer.from(frame('eth_chainId')))
    expect(await client.next()).toMatchObject({ id: 1, result: { method: 'eth_chainId' } })
    await client.close()
  })

  it('answers calls in flight up to its limit, and the others after them', async () => {
    node.held = []
    const pushing = await startTestGateway([node.url], { limits: { maxInFlight: 4 } })
    const client = await openSocket(`${pushing.ws}/ws/v3/${key}`)
    // Apart from each other: what came in one piece is read in one piece.
    for (let id = 1; id <= 8; id++) {
      client.send(frame('a', [], id))
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await until(() => node.calls.length >= 4)
    expect(node.calls.length).toBe(4)
    const held = node.held
    node.held = undefined
    for (const answer of held) answer()
    await until(() => client.messages.length === 8)
    expect(node.calls.length).toBe(8)
    await client.close()
    await pushing.close()
  })

  it('that closes ends its calls', async () => {
    node.held = []
    const pushing = await startTestGateway([node.url])
    const client = await openSocket(`${pushing.ws}/ws/v3/${key}`)
    client.send(frame('a'))
    await until(() => node.calls.length === 1)
    await client.close()
    for (const answer of node.held) answer()
    await pushing.close()
  })
})

it('an upgrade is answered with the trace id of the connection', async () => {
  const connections = await Promise.all([1, 2].map(() => rawUpgraded(gateway.ws, `/ws/v3/${key}`)))
  const ids = connections.map(({ text }) => /\r\nX-Trace-Id: ([\da-f]{32})\r\n/.exec(text)?.[1])
  expect(ids[0]).toBeDefined()
  expect(ids[1]).not.toBe(ids[0])
  for (const { socket } of connections) socket.destroy()
})

it('a connection beyond the most is dropped, and counted; the next is taken once another has gone', async () => {
  const small = await startTestGateway([httpNode.url], { limits: { maxConnections: 2 } })
  const [one, two] = [await openSocket(`${small.ws}/ws/v3/${key}`), await openSocket(`${small.ws}/ws/v3/${key}`)]
  await expect(openSocket(`${small.ws}/ws/v3/${key}`)).rejects.toThrow(/ECONNRESET|socket hang up/)
  expect((await send(small.admin, '/metrics')).body).toContain('wayleave_dropped_connections_total 1\n')
  one.socket.terminate()
  await until(() => one.closed !== undefined)
  two.send(frame('a'))
  await two.next()
  const three = await openSocket(`${small.ws}/ws/v3/${key}`)
  await Promise.all([two.close(), three.close()])
  await small.close()
})

describe('a subscription', () => {
  it('tells its id before its first event, and its events in their order', async () => {
    const client = await openSocket(url)
    client.send(subscribe('s'))
    const reply = (await client.next()) as { result: string }
    expect(reply).toEqual({ jsonrpc: '2.0', id: 's', result: expect.stringMatching(/^0x[1-9a-f]/) })
    node.push('0x1', { number: '0x1' })
    node.push('0x1', { number: '0x2' })
    node.push('0xother', { number: '0x3' })
    const event = (number: string) => ({
      jsonrpc: '2.0',
      method: 'eth_subscription',
      params: { subscription: reply.result, result: { number } },
    })
    expect([await client.next(), await client.next()]).toEqual([event('0x1'), event('0x2')])
    await client.close()
  })

  it('is ended by eth_unsubscribe, once', async () => {
    const client = await openSocket(url)
    client.send(subscribe())
    const { result: id } = (await client.next()) as { result: string }
    client.send(frame('eth_unsubscribe', [id], 2))
    expect(await client.next()).toEqual({ jsonrpc: '2.0', id: 2, result: true })
    await until(() => node.unsubscribed.includes('0x1'))
    node.push('0x1', 'late')
    client.send(frame('eth_unsubscribe', [id], 3))
    expect(await client.nextUntraced()).toEqual({
      jsonrpc: '2.0',
      id: 3,
      error: { code: -32000, message: 'subscription not found' },
    })
    await client.close()
  })

  it('of an unknown id, or of another connection, cannot be ended', async () => {
    const [one, two] = [await openSocket(url), await openSocket(url)]
    one.send(subscribe())
    const { result: id } = (await one.next()) as { result: string }
    two.send(frame('eth_unsubscribe', [id], 2))
    two.send(frame('eth_unsubscribe', ['0xdead'], 2))
    const refusal = { jsonrpc: '2.0', id: 2, error: { code: -32000, message: 'subscription not found' } }
    expect([await two.nextUntraced(), await two.nextUntraced()]).toEqual([refusal, refusal])
    expect(node.unsubscribed).toEqual([])
    await Promise.all([one.close(), two.close()])
  })

  it.each(['closes', 'is cut'])('ends with a connection that %s', async (how) => {
    const client = await openSocket(url)
    for (let i = 0; i < 3; i++) client.send(subscribe(i))
    await until(() => client.messages.length === 3)
    if (how === 'closes') await client.close()
    else client.socket.terminate()
    await until(() => node.open.size === 0)
    expect(node.unsubscribed.toSorted()).toEqual(['0x1', '0x2', '0x3'])
  })

  it('whose answer comes after its connection has gone is ended', async () => {
    const client = await openSocket(url)
    node.held = []
    client.send(subscribe())
    await until(() => node.held!.length === 1)
    client.socket.terminate()
    await new Promise((resolve) => setTimeout(resolve, 50))
    const held = node.held
    node.held = undefined
    for (const answer of held) answer()
    await until(() => node.unsubscribed.includes('0x1'))
  })

  it('is limited in number, also in one batch', async () => {
    const client = await openSocket(url)
    client.send(`[${Array.from({ length: 8 }, (_, id) => subscribe(id)).join(',')}]`)
    const answers = (await client.nextUntraced()) as { error?: unknown }[]
    expect(answers.filter(({ error }) => error === undefined).length).toBe(5)
    expect(answers[7]).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32005, message: 'at most 5 subscriptions fit a connection' },
    })
    expect(node.open.size).toBe(5)
    await client.close()
    await until(() => node.open.size === 0)
  })

  it('that the upstream loses closes the connection, as events may be missing', async () => {
    const client = await openSocket(url)
    client.send(subscribe())
    await client.next()
    node.drop()
    await until(() => client.closed !== undefined)
    expect(client.closed).toEqual({ code: 1013, reason: 'the subscription ended upstream' })
  })

  it('needs an upstream that can push', async () => {
    const plain = await startTestGateway([httpNode.url])
    const client = await openSocket(`${plain.ws}/ws/v3/${key}`)
    client.send(subscribe())
    expect(await client.nextUntraced()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32603, message: 'no upstream can take this call: 1 cannot push' },
    })
    await client.close()
    await plain.close()
  })
})

describe('a gateway that closes', () => {
  it('closes its connections with 1012', async () => {
    const client = await openSocket(url)
    await gateway.close()
    await until(() => client.closed !== undefined)
    expect(client.closed).toEqual({ code: 1012, reason: 'the gateway restarts: connect again' })
  })

  it('closes them one after the other, a millisecond apart', async () => {
    const { clock } = realSurroundings
    /** Timers of a few ms that were set since the end began, which the test runs. */
    const held: { readonly ms: number; run(): void }[] = []
    let isEnding = false
    const count = 8
    const slow = await startTestGateway(
      [node.url],
      {},
      {
        surroundings: {
          ...realSurroundings,
          clock: {
            ...clock,
            after(ms, run) {
              if (!isEnding || ms >= count) return clock.after(ms, run)
              held.push({ ms, run })
              return () => {}
            },
          },
        },
      },
    )
    const clients = await Promise.all(Array.from({ length: count }, () => openSocket(`${slow.ws}/ws/v3/${key}`)))
    const closed = (): number => clients.filter((client) => client.closed !== undefined).length
    isEnding = true
    const closing = slow.close()
    await until(() => held.length === count)
    expect(held.map(({ ms }) => ms)).toEqual(Array.from({ length: count }, (_, i) => i))
    expect(closed()).toBe(0)
    for (const [i, { run }] of held.entries()) {
      run()
      await until(() => closed() > i)
      expect(closed()).toBe(i + 1)
    }
    await closing
    expect(new Set(clients.map((client) => client.closed?.code))).toEqual(new Set([1012]))
  })

  it('answers the calls in flight before, and ends the subscriptions', async () => {
    const pushing = await startTestGateway([node.url])
    const client = await openSocket(`${pushing.ws}/ws/v3/${key}`)
    client.send(subscribe())
    await client.next()
    node.held = []
    client.send(frame('a', [], 7))
    await until(() => node.held!.length === 1)
    const closing = pushing.close()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(client.closed).toBeUndefined()
    for (const answer of node.held.splice(0)) answer()
    expect(await client.next()).toEqual({ jsonrpc: '2.0', id: 7, result: 'a' })
    await closing
    expect(client.closed?.code).toBe(1012)
  })

  // The library would cut him, too, but after 30 s.
  it('cuts who does not answer the close within the grace', { timeout: 20_000 }, async () => {
    const client = await openSocket(url)
    client.socket.pause()
    await gateway.close(200)
    client.socket.terminate()
  })
})
