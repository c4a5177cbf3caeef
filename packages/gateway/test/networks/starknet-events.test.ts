// Subscriptions of Starknet through a real gateway, from nodes that push over a WebSocket.
import type { AddressInfo } from 'node:net'
import { type Config, createLog, type RunningGateway, startGateway } from '@wayleave/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { openSocket, type TestSocket } from '../web-socket-client.ts'
import { frame, key, startNode, until } from '../support.ts'

interface Call {
  readonly id: number
  readonly method: string
  readonly params?: unknown
}

/** A node of a version; the ids of its subscriptions are numbers, from 7 on. */
async function nodeOf(version: string) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await new Promise((resolve) => server.once('listening', resolve))
  const calls: Call[] = []
  const subscribed: WebSocket[] = []
  let last = 7
  server.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      const call = JSON.parse(data.toString()) as Call
      calls.push(call)
      let result: unknown = 1
      if (call.method === 'starknet_specVersion') result = version
      if (call.method.startsWith('starknet_subscribe')) {
        subscribed.push(socket)
        result = last++
      }
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: call.id, result }))
    })
  })
  onTestFinished(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    methods: () => calls.map(({ method }) => method),
    push(id: number, event: string, result: string) {
      const params = `{"subscription_id":${id},"result":${result}}`
      subscribed[id - 7]!.send(`{"jsonrpc":"2.0","method":"starknet_subscription${event}","params":${params}}`)
    },
    drop() {
      for (const client of server.clients) client.terminate()
    },
  }
}

async function gatewayOver(upstreams: readonly string[], limits: Config['limits'] = {}): Promise<RunningGateway> {
  const config: Config = {
    listen: { rpc: '127.0.0.1:0' },
    networks: { sn: { kind: 'starknet', chainId: 'SN_MAIN', upstreams } },
    limits,
    projects: [{ name: 'open', keys: [{ key }] }],
  }
  const gateway = await startGateway(config, { log: createLog({ level: 'silent' }) })
  onTestFinished(() => gateway.close(0))
  return gateway
}

const connect = (gateway: RunningGateway, version = 'v0_8'): Promise<TestSocket> =>
  openSocket(`${gateway.ws}/ws/v3/${key}/rpc/${version}`)

async function ask(socket: TestSocket, method: string, params?: unknown): Promise<unknown> {
  socket.send(frame(method, params))
  const { result, error } = (await socket.nextUntraced()) as { result?: unknown; error?: unknown }
  return error ?? result
}

describe('a subscription of Starknet', () => {
  it('passes what the node pushes, byte for byte and under an id of its own, until it is left', async () => {
    const node = await nodeOf('0.8.1')
    const socket = await connect(await gatewayOver([node.url]))
    expect(await ask(socket, 'starknet_subscribeNewHeads', { block_id: 'latest' })).toBe('1')
    expect(await ask(socket, 'starknet_subscribeEvents')).toBe('2')
    expect(node.calls.at(-2)).toMatchObject({ params: { block_id: 'latest' } })
    const value = '{"block_number": 12345678901234567890}'
    node.push(7, 'NewHeads', value)
    node.push(8, 'Reorg', '{}')
    await until(() => socket.messages.length === 4)
    expect(socket.messages.slice(2).toSorted()).toEqual([
      `{"jsonrpc":"2.0","method":"starknet_subscriptionNewHeads","params":{"subscription_id":"1","result":${value}}}`,
      '{"jsonrpc":"2.0","method":"starknet_subscriptionReorg","params":{"subscription_id":"2","result":{}}}',
    ])
    socket.send(frame('starknet_unsubscribe', { subscription_id: '1' }))
    await until(() => node.methods().includes('starknet_unsubscribe'))
    expect(node.calls.at(-1)!.params).toEqual([7])
    await until(() => socket.messages.length === 5)
    expect(JSON.parse(socket.messages[4]!)).toMatchObject({ result: true })
  })

  it('belongs to its connection: another one neither hears of it nor ends it', async () => {
    const node = await nodeOf('0.8.1')
    const gateway = await gatewayOver([node.url])
    const [mine, other] = await Promise.all([connect(gateway), connect(gateway)])
    expect(await ask(mine, 'starknet_subscribeNewHeads')).toBe('1')
    const invalid = { code: 66, message: 'Invalid subscription id' }
    for (const params of [['1'], { subscription_id: '1' }, { subscription_id: 7 }, [], null])
      expect(await ask(other, 'starknet_unsubscribe', params)).toEqual(invalid)
    node.push(7, 'NewHeads', '1')
    expect(await mine.next()).toMatchObject({ params: { subscription_id: '1', result: 1 } })
    expect(await ask(mine, 'starknet_unsubscribe', ['1'])).toBe(true)
    expect(await ask(mine, 'starknet_unsubscribe', ['1'])).toEqual(invalid)
    await other.close()
    expect(other.messages).toHaveLength(5)
  })

  it('is one of a node of the version of the caller, and refused where none speaks it', async () => {
    const [eight, nine] = await Promise.all([nodeOf('0.8.1'), nodeOf('0.9.0')])
    const gateway = await gatewayOver([eight.url, nine.url])
    const socket = await connect(gateway, 'v0_9')
    expect(await ask(socket, 'starknet_subscribeNewTransactions')).toBe('1')
    expect(eight.methods()).not.toContain('starknet_subscribeNewTransactions')
    nine.push(7, 'NewTransaction', '1')
    expect(await socket.next()).toMatchObject({ method: 'starknet_subscriptionNewTransaction' })
    expect(await ask(await connect(gateway, 'v0_10'), 'starknet_subscribeNewHeads')).toMatchObject({
      code: -32601,
      message: expect.stringContaining('starknet_subscribeNewHeads needs equal versions') as string,
    })
    expect(await ask(await connect(gateway, 'v0_7'), 'starknet_subscribeNewHeads')).toMatchObject({
      code: -32601,
      message: expect.stringContaining('is in 0.8 and later, and the caller speaks 0.7') as string,
    })
  })

  it('ends at the node with its connection, and the connection with it', async () => {
    const node = await nodeOf('0.8.1')
    const gateway = await gatewayOver([node.url])
    const left = await connect(gateway)
    await ask(left, 'starknet_subscribeNewHeads')
    await left.close()
    await until(() => node.methods().includes('starknet_unsubscribe'))
    const kept = await connect(gateway)
    await ask(kept, 'starknet_subscribeNewHeads')
    node.drop()
    await until(() => kept.closed !== undefined)
    expect(kept.closed!.code).toBe(1013)
  })

  it('counts towards the most of a connection', async () => {
    const node = await nodeOf('0.8.1')
    const socket = await connect(await gatewayOver([node.url], { maxSubscriptions: 1 }))
    expect(await ask(socket, 'starknet_subscribeNewHeads')).toBe('1')
    expect(await ask(socket, 'starknet_subscribeNewHeads')).toMatchObject({ code: -32005 })
  })

  it.each(['starknet_subscribeNewHeads', 'starknet_unsubscribe', 'starknet_subscribeSomethingNew'])(
    '%s is refused over HTTP, with where to go, and no node hears of it',
    async (method) => {
      const node = await nodeOf('0.8.1')
      const gateway = await gatewayOver([node.url])
      const response = await fetch(`${gateway.rpc}/v3/${key}/rpc/v0_8`, { method: 'POST', body: frame(method) })
      const message = 'subscriptions of Starknet need a WebSocket: connect to /ws/v3/<key>/rpc/<version>, or poll'
      expect({ status: response.status, body: await response.json() }).toMatchObject({
        status: 200,
        body: { error: { code: -32601, message } },
      })
      expect(node.calls).toEqual([])
    },
  )

  it('is refused where no upstream can push, or no version has its method', async () => {
    const http = await startNode()
    onTestFinished(() => http.close())
    const message = 'no upstream of this network can push: one with a ws or wss URL is needed; poll instead'
    const socket = await connect(await gatewayOver([http.url]))
    expect(await ask(socket, 'starknet_subscribeNewHeads')).toEqual({ code: -32601, message })
    expect(await ask(socket, 'starknet_subscribeSomethingNew')).toEqual({ code: -32601, message: 'Method not found' })
    expect(http.calls).toEqual([])
  })
})
