import type { Socket } from 'node:net'
import { type DevNode, startDevNode } from '@wayleave/dev-node'
import type { RunningGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { transact } from './support/chain.ts'
import { httpUrl, key, startDevGateway, startGatewayBefore, wsUrl } from './support/gateway.ts'
import { ask, call, post } from './support/http.ts'
import { answer, hang, type Peer, type SocketScript, startPeer } from './support/peer.ts'
import { openSocket, type TestSocket } from './support/socket.ts'
import { until } from './support/wait.ts'

let node: DevNode
let gateway: RunningGateway

beforeAll(async () => {
  node = await startDevNode()
  gateway = await startDevGateway(node)
})

afterAll(async () => {
  await gateway.close()
  await node.close()
})

/** The messages of a socket in words: each subscription's reply, then its pushes. */
function expectReplyFirst({ messages }: TestSocket, subscriptions: readonly unknown[]): void {
  for (const id of subscriptions) {
    const reply = messages.findIndex(({ result }) => result === id)
    const push = messages.findIndex(({ params }) => params?.subscription === id)
    expect(reply).toBeGreaterThanOrEqual(0)
    expect(push).toBeGreaterThan(reply)
  }
}

/** An upstream whose pushes follow a subscription's reply at once: `count` in the same segment. */
function pushingAtOnce(count: number): SocketScript {
  let last = 0
  return ({ id, method }, socket, connection) => {
    if (method !== 'eth_subscribe') return socket.send(`{"jsonrpc":"2.0","id":${id},"result":true}`)
    const subscription = `0x${(++last).toString(16)}`
    connection.cork()
    socket.send(`{"jsonrpc":"2.0","id":${id},"result":"${subscription}"}`)
    for (let i = 0; i < count; i++) socket.send(push(subscription, i))
    connection.uncork()
  }
}

const push = (subscription: string, result: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } })

async function startPushing(ws: SocketScript): Promise<{ peer: Peer; gateway: RunningGateway } & AsyncDisposable> {
  const peer = await startPeer(answer('0x1'), ws)
  const before = await startGatewayBefore([peer.httpUrl, peer.wsUrl])
  return {
    peer,
    gateway: before,
    async [Symbol.asyncDispose]() {
      await before.close(0)
      await peer[Symbol.asyncDispose]()
    },
  }
}

describe("a subscription's reply", () => {
  it('precedes its first push a hundred times under load, and no push is lost', async () => {
    await using pushing = await startPushing(pushingAtOnce(3))
    const over = new AbortController()
    const load = Array.from({ length: 8 }, async () => {
      while (!over.signal.aborted) await ask(httpUrl(pushing.gateway), 'eth_gasPrice')
    })
    const sockets = await Promise.all(Array.from({ length: 10 }, () => openSocket(wsUrl(pushing.gateway))))
    await Promise.all(
      sockets.map(async (socket) => {
        const replies = await Promise.all(
          Array.from({ length: 10 }, async () => {
            // Its answer may come after the last push, when the socket is closed.
            socket.ask('eth_gasPrice').catch(() => {})
            return socket.ask('eth_subscribe', ['newHeads'])
          }),
        )
        const ids = replies.map(({ result }) => result)
        expect(new Set(ids).size).toBe(10)
        await until('three pushes each', () => socket.pushes().length === 30)
        expectReplyFirst(socket, ids)
        for (const id of ids) expect(socket.pushes(id)).toEqual([0, 1, 2])
        await socket[Symbol.asyncDispose]()
      }),
    )
    over.abort()
    await Promise.all(load)
  })

  it('precedes its first push in a batch too', async () => {
    await using pushing = await startPushing(pushingAtOnce(2))
    await using socket = await openSocket(wsUrl(pushing.gateway))
    socket.socket.send(
      JSON.stringify([call('eth_subscribe', ['newHeads'], 'a'), call('eth_subscribe', ['newHeads'], 'b')]),
    )
    await until('two pushes each', () => socket.pushes().length === 4)
    expect(socket.messages[0]).toMatchObject([
      { id: 'a', result: expect.any(String) },
      { id: 'b', result: expect.any(String) },
    ])
    expect(socket.messages).toHaveLength(5)
  })

  it('precedes the first push of a real node that is busy', async () => {
    const url = node.networks.dev.httpUrl
    const over = new AbortController()
    const repeat = async (work: () => Promise<unknown>): Promise<void> => {
      while (!over.signal.aborted) await work()
    }
    const traffic = [
      repeat(() => transact(url, { to: `0xc0ffee${'1'.padStart(34, '0')}`, value: '0x1' })),
      repeat(() => ask(url, 'anvil_mine', ['0x2'])),
    ]
    await using socket = await openSocket(wsUrl(gateway))
    for (let i = 0; i < 30; i++) {
      const kind = ['newHeads', 'newPendingTransactions'][i % 2]
      const { result } = await socket.ask('eth_subscribe', [kind])
      await until('a push', () => socket.pushes(result).length > 0)
      expectReplyFirst(socket, [result])
      expect(await socket.ask('eth_unsubscribe', [result])).toMatchObject({ result: true })
    }
    over.abort()
    await Promise.all(traffic)
  })
})

/** Cuts from a head the members of a block that geth does not announce. */
function headerOf(pushed: unknown): unknown {
  if (typeof pushed !== 'object' || pushed === null || !('parentHash' in pushed)) return pushed
  const beyond = ['size', 'totalDifficulty', 'transactions', 'uncles', 'withdrawals']
  return Object.fromEntries(Object.entries(pushed).filter(([name]) => !beyond.includes(name)))
}

describe('a subscription', () => {
  it('pushes what the node pushes, in the same words, and of heads the header alone', async () => {
    await using through = await openSocket(wsUrl(gateway, 'rollup-dev'))
    await using direct = await openSocket(node.networks['rollup-dev'].wsUrl)
    const kinds = [['newHeads'], ['logs', {}], ['newPendingTransactions']]
    const [ids, directIds] = await Promise.all(
      [through, direct].map((socket) =>
        Promise.all(kinds.map(async (kind) => (await socket.ask('eth_subscribe', kind)).result)),
      ),
    )
    // PUSH0 PUSH0 LOG0 in the init code: a log from a contract without code.
    for (let i = 0; i < 3; i++) await transact(node.networks['rollup-dev'].httpUrl, { data: '0x5f5fa0' })
    const count = (socket: TestSocket): number => socket.pushes().length
    await until('nine pushes on both', () => count(through) === 9 && count(direct) === 9)
    for (const [i, id] of ids!.entries())
      expect(through.pushes(id), String(kinds[i])).toEqual(direct.pushes(directIds![i]).map(headerOf))
    const shape = ({ messages }: TestSocket): unknown =>
      Object.keys(messages.find(({ params }) => params !== undefined)!)
    expect(shape(through)).toEqual(shape(direct))
  })

  it('that has ended is silent, and gone for the upstream too', async () => {
    await using pushing = await startPushing(pushingAtOnce(1))
    const { peer } = pushing
    await using socket = await openSocket(wsUrl(pushing.gateway))
    const { result: id } = await socket.ask('eth_subscribe', ['newHeads'])
    expect(await socket.ask('eth_unsubscribe', [id])).toEqual({ jsonrpc: '2.0', id: 2, result: true })
    await until('the upstream to hear of it', () => peer.calls.includes('eth_unsubscribe'))
    const seen = socket.pushes().length
    for (const upstream of peer.sockets) upstream.send(push('0x1', 'late'))
    // Its answer comes after that push would have.
    const { result: next } = await socket.ask('eth_subscribe', ['newHeads'])
    await until('a push of the next', () => socket.pushes(next).length === 1)
    expect(socket.pushes(id)).toHaveLength(seen)
    expect(await socket.ask('eth_unsubscribe', [id])).toMatchObject({
      error: { code: -32000, message: 'subscription not found' },
    })
  })

  it('ends at the upstream with the connection of its caller', async () => {
    await using pushing = await startPushing(pushingAtOnce(1))
    const socket = await openSocket(wsUrl(pushing.gateway))
    await socket.ask('eth_subscribe', ['newHeads'])
    await socket.ask('eth_subscribe', ['newHeads'])
    await socket[Symbol.asyncDispose]()
    const ended = (): number => pushing.peer.calls.filter((method) => method === 'eth_unsubscribe').length
    await until('both to be ended', () => ended() === 2)
    expect(pushing.peer.calls.filter((method) => method === 'eth_subscribe')).toHaveLength(ended())
  })

  it('is one caller’s alone: another can neither hear nor end it', async () => {
    await using pushing = await startPushing(pushingAtOnce(1))
    await using one = await openSocket(wsUrl(pushing.gateway))
    await using other = await openSocket(wsUrl(pushing.gateway))
    const { result: id } = await one.ask('eth_subscribe', ['newHeads'])
    expect(await other.ask('eth_unsubscribe', [id])).toMatchObject({ error: { code: -32000 } })
    for (const upstream of pushing.peer.sockets) upstream.send(push('0x1', 'again'))
    await until('the second push', () => one.pushes(id).length === 2)
    expect(other.pushes()).toEqual([])
  })

  it('closes the connection of its caller where the upstream drops, and others stay', async () => {
    await using pushing = await startPushing(pushingAtOnce(1))
    await using subscriber = await openSocket(wsUrl(pushing.gateway))
    await using bystander = await openSocket(wsUrl(pushing.gateway))
    await subscriber.ask('eth_subscribe', ['newHeads'])
    for (const upstream of pushing.peer.sockets) upstream.terminate()
    const { code } = await subscriber.closed
    expect(code).toBe(1013)
    expect(await bystander.ask('eth_subscribe', ['newHeads'])).toMatchObject({ result: expect.any(String) })
  })

  it('stays open where its only node ends, as it can go on when that is back', async () => {
    const own = await startDevNode()
    await using before = await startDevGateway(own)
    await using socket = await openSocket(wsUrl(before))
    expect(await socket.ask('eth_subscribe', ['newHeads'])).toMatchObject({ result: expect.any(String) })
    await own.close()
    expect(await socket.ask('eth_gasPrice')).toMatchObject({ error: { code: -32603 } })
    expect(socket.socket.readyState).toBe(socket.socket.OPEN)
  })

  it('is refused over HTTP, and where no upstream can push', async () => {
    const refusal = { error: { code: -32601, message: 'notifications not supported' } }
    for (const method of ['eth_subscribe', 'eth_unsubscribe']) {
      const { status, text } = await post(httpUrl(gateway), call(method, ['newHeads']))
      expect(status).toBe(200)
      expect(JSON.parse(text)).toMatchObject(refusal)
    }
    await using peer = await startPeer(hang)
    await using quiet = await startGatewayBefore([peer.httpUrl])
    await using socket = await openSocket(wsUrl(quiet))
    expect(await socket.ask('eth_subscribe', ['newHeads'])).toMatchObject({ error: { code: -32603 } })
    expect(peer.calls).toEqual([])
  })

  it('with params that are none is refused as geth does, and no node is asked', async () => {
    await using pushing = await startPushing(pushingAtOnce(0))
    await using socket = await openSocket(wsUrl(pushing.gateway))
    const refusals: [unknown[], number, string][] = [
      [['newHeads', 7], -32602, 'invalid argument 1: json: cannot unmarshal number into options of newHeads'],
      [['newHeads', {}, 7], -32602, 'too many arguments, want at most 2'],
      [['logs'], -32602, 'missing value for required argument 1'],
      [['logs', { address: 7 }], -32602, 'invalid argument 1: invalid addresses in query'],
      [[], -32602, 'expected subscription name as first argument'],
    ]
    for (const [i, [params, code, message]] of refusals.entries()) {
      expect((await socket.ask('eth_subscribe', params)).error).toEqual({
        code,
        message,
        data: { traceId: `${socket.traceId}.${i + 1}` },
      })
    }
    expect(pushing.peer.calls).toEqual([])
  })

  it.each(['/net', ''])('keeps the id of the node from its caller (path %j)', async (path) => {
    await using pushing = await startPushing(pushingAtOnce(1))
    await using socket = await openSocket(`${pushing.gateway.ws}${path}/ws/v3/${key}`)
    const { result: id } = await socket.ask('eth_subscribe', ['newHeads'])
    expect(id).toMatch(/^0x[1-9a-f][\da-f]{20,31}$/)
    await until('its push', () => socket.pushes(id).length === 1)
    expect(socket.pushes()).toEqual([0])
  })

  it.each(['/dev', ''])('of a real node has an id that is its own, for each of two callers (path %j)', async (path) => {
    const url = `${gateway.ws}${path}/ws/v3/${key}`
    await using one = await openSocket(url)
    await using two = await openSocket(url)
    const kinds = [['newHeads'], ['logs', {}], ['newPendingTransactions'], ['newPendingTransactions', false]]
    const ids = await Promise.all(
      [one, two].flatMap((socket) =>
        kinds.map(async (kind) => (await socket.ask('eth_subscribe', kind)).result as string),
      ),
    )
    expect(new Set(ids).size).toBe(8)
    for (const id of ids) expect(id).toMatch(/^0x[1-9a-f][\da-f]{20,31}$/)
    // PUSH0 PUSH0 LOG0 in the init code: a log from a contract without code.
    await transact(node.networks.dev.httpUrl, { data: '0x5f5fa0' })
    for (const [i, socket] of [one, two].entries()) {
      const own = ids.slice(4 * i, 4 * i + 4)
      await until('a push of each kind', () => own.every((id) => socket.pushes(id).length > 0))
      expectReplyFirst(socket, own)
      for (const id of own) {
        expect(await socket.ask('eth_unsubscribe', [id])).toMatchObject({ result: true })
        expect((await socket.ask('eth_unsubscribe', [id])).error).toMatchObject({ code: -32000 })
      }
      const seen = socket.pushes().length
      await transact(node.networks.dev.httpUrl, { data: '0x5f5fa0' })
      await socket.ask('eth_blockNumber')
      expect(socket.pushes()).toHaveLength(seen)
    }
  })

  it('beyond the limit of a connection is refused, and makes room when one ends', async () => {
    await using peer = await startPeer(answer('0x1'), pushingAtOnce(0))
    await using small = await startGatewayBefore([peer.wsUrl], { limits: { maxSubscriptions: 3 } })
    await using socket = await openSocket(wsUrl(small))
    const ids: unknown[] = []
    for (let i = 0; i < 3; i++) ids.push((await socket.ask('eth_subscribe', ['newHeads'])).result)
    expect(await socket.ask('eth_subscribe', ['newHeads'])).toMatchObject({ error: { code: -32005 } })
    await socket.ask('eth_unsubscribe', [ids[0]])
    expect(await socket.ask('eth_subscribe', ['newHeads'])).toMatchObject({ result: expect.any(String) })
  })

  it('beyond the limit of a connection is refused also where all are asked for at once', async () => {
    await using peer = await startPeer(answer('0x1'), pushingAtOnce(0))
    await using small = await startGatewayBefore([peer.wsUrl], { limits: { maxSubscriptions: 3 } })
    await using socket = await openSocket(wsUrl(small))
    const replies = await Promise.all(Array.from({ length: 10 }, () => socket.ask('eth_subscribe', ['newHeads'])))
    expect(replies.filter(({ error }) => error === undefined)).toHaveLength(3)
  })
})

describe('a caller who does not read', () => {
  it('his pushes has his connection closed with 1013', { timeout: 90_000 }, async () => {
    await using pushing = await startPushing(pushingAtOnce(0))
    await using slow = await openSocket(wsUrl(pushing.gateway))
    const { result: id } = await slow.ask('eth_subscribe', ['newHeads'])
    slow.socket.pause()
    const heavy = push('0x1', 'x'.repeat(1_000_000))
    const [upstream] = pushing.peer.sockets
    for (let i = 0; i < 60; i++) {
      upstream!.send(heavy)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await until('the gateway to take it all', () => upstream!.bufferedAmount === 0)
    slow.socket.resume()
    expect(await slow.closed).toMatchObject({ code: 1013 })
    expect(slow.pushes(id).length).toBeLessThan(60)
  })

  it('his answers has no further calls taken, or his connection closed', { timeout: 90_000 }, async () => {
    await using peer = await startPeer(answer('x'.repeat(1_000_000)))
    await using small = await startGatewayBefore([peer.httpUrl], { limits: { maxInFlight: 4 } })
    await using slow = await openSocket(wsUrl(small))
    slow.socket.pause()
    // In one packet: a connection that is paused has already heard the rest of it.
    const { _socket: tcp } = slow.socket as unknown as { readonly _socket: Socket }
    tcp.cork()
    for (let i = 0; i < 200; i++)
      slow.socket.send(JSON.stringify(call('eth_getLogs', [{ fromBlock: `0x${i.toString(16)}` }], i)))
    tcp.uncork()
    let before = -1
    while (peer.calls.length > before) {
      before = peer.calls.length
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    // 16 MB may wait in the gateway, the rest in the buffers of both sockets.
    expect(peer.calls.length).toBeLessThan(100)
  })
})

describe('a call that the node cannot read', () => {
  it("costs no other caller's subscription", async () => {
    const url = wsUrl(gateway, 'dev')
    const subscriber = await openSocket(url)
    const { result: id } = await subscriber.ask('eth_subscribe', ['newHeads'])
    const odd = await openSocket(url)
    odd.socket.send('{"jsonrpc":"2.0","id":2,"method":"eth_subscribe","params":["\\ud800"]}')
    odd.socket.send(`{"jsonrpc":"2.0","id":3,"method":"eth_call","params":${'['.repeat(200)}${']'.repeat(200)}}`)
    await until('an answer to the odd calls', () => odd.messages.length > 0)
    await ask(httpUrl(gateway, 'dev'), 'evm_mine')
    await until('the next head', () => subscriber.pushes(id).length > 0)
    expect(subscriber.socket.readyState).toBe(subscriber.socket.OPEN)
    subscriber.socket.close()
    odd.socket.close()
  })
})
