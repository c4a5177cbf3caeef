import { once } from 'node:events'
import type { RunningGateway } from '@wayleave/gateway'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type PushingNode, startPushingNode } from '../../pushing-node.ts'
import { frame, key, rawConnection, send, sleep, startTestGateway, until } from '../../support.ts'
import { clientFrame, closeCodeIn, openSocket, rawUpgraded, type TestSocket, upgrade } from '../../web-socket-client.ts'

const path = `/ws/v3/${key}`
const text = 1
const continuation = 0
let node: PushingNode
let gateway: RunningGateway

beforeEach(async () => {
  node = await startPushingNode()
  gateway = await startTestGateway([node.url], {
    limits: { maxBodyBytes: 60_000, maxInFlight: 10, requestTimeoutMs: 5_000 },
  })
})

afterEach(async () => {
  // The process and the listener are well after each test.
  const { status } = await send(gateway.rpc, '/healthz')
  if (status !== 200) throw new Error(`the gateway answers ${status}`)
  await gateway.close(0)
  await node.close()
})

describe('a connection is closed', () => {
  it.each([
    ['1009 for a message over the cap', 1009, [clientFrame(text, 'x'.repeat(60_001))]],
    [
      '1009 for fragments over the cap',
      1009,
      [clientFrame(text, 'x'.repeat(40_000), { fin: false }), clientFrame(continuation, 'x'.repeat(40_000))],
    ],
    ['1002 for an unmasked frame', 1002, [clientFrame(text, frame('a'), { mask: false })]],
    ['1002 for a reserved bit', 1002, [clientFrame(text, frame('a'), { rsv: 4 })]],
    ['1002 for a reserved opcode', 1002, [clientFrame(3, 'x')]],
    ['1002 for a continuation of nothing', 1002, [clientFrame(continuation, 'x')]],
    ['1002 for a message within a message', 1002, [clientFrame(text, 'x', { fin: false }), clientFrame(text, 'y')]],
    ['1002 for a fragmented ping', 1002, [clientFrame(9, 'x', { fin: false })]],
    ['1007 for text that is no UTF-8', 1007, [clientFrame(text, Buffer.from([0xff]))]],
    [
      '1008 for too many fragments',
      1008,
      [
        clientFrame(text, '[', { fin: false }),
        ...Array.from({ length: 20_000 }, () => clientFrame(continuation, ' ', { fin: false })),
      ],
    ],
  ])('%s', async (_what, code, frames) => {
    const connection = await rawUpgraded(gateway.ws, path)
    connection.send(Buffer.concat(frames))
    expect(closeCodeIn(await connection.whole())).toBe(code)
  })

  it('for a frame whose length is beyond reason', async () => {
    const connection = await rawUpgraded(gateway.ws, path)
    connection.send(Buffer.from([0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]))
    expect(closeCodeIn(await connection.whole())).toBe(1009)
  })
})

describe('what is sent', () => {
  it('may come in fragments, with pings between them', async () => {
    const connection = await rawUpgraded(gateway.ws, path)
    const [head, tail] = [frame('a').slice(0, 10), frame('a').slice(10)]
    connection.send(
      Buffer.concat([clientFrame(text, head, { fin: false }), clientFrame(9, 'hi'), clientFrame(continuation, tail)]),
    )
    await connection.saw(/\u008a.hi[^]*"id":1,"result":"a"/)
    connection.socket.destroy()
  })

  it('right behind the upgrade is not lost', async () => {
    const connection = rawConnection(gateway.rpc)
    connection.send(Buffer.concat([Buffer.from(upgrade(path)), clientFrame(text, frame('a'))]))
    await connection.saw(/101 Switching[^]*"id":1,"result":"a"/)
    connection.socket.destroy()
  })

  it('by 200 clients that leave in the middle of the upgrade or of a frame does no harm', async () => {
    for (let i = 0; i < 200; i++) {
      const connection = rawConnection(gateway.rpc)
      const bytes = Buffer.concat([
        Buffer.from(upgrade(i % 2 === 0 ? path : '/ws/v3/nobody')),
        clientFrame(text, frame('a')),
      ])
      connection.send(bytes.subarray(0, i + 1 + (i % 3) * 40))
      await sleep(1)
      connection.socket.resetAndDestroy()
    }
  })
})

describe('a client that does not read', { timeout: 60_000 }, () => {
  it('is closed with 1013 when 16 MiB of events wait for it, and all its subscriptions end', async () => {
    const client = await openSocket(`${gateway.ws}${path}`)
    client.send(frame('eth_subscribe', ['newHeads'], 1))
    await until(() => client.messages.length === 1)
    node.held = []
    client.send(frame('eth_subscribe', ['newHeads'], 2))
    await until(() => node.held!.length === 1)
    client.socket.pause()
    const large = 'x'.repeat(1_000_000)
    for (let i = 0; i < 60; i++) {
      node.push('0x1', large)
      await sleep(1)
    }
    // The second subscription opens upstream while the connection is closing.
    for (const answer of node.held.splice(0)) answer()
    node.held = undefined
    // Both answers have come to the gateway, and the connection still waits for its client.
    while (!(await send(gateway.admin, '/metrics')).body.includes('status="200"} 2\n')) await sleep(10)
    expect(client.closed).toBeUndefined()
    client.socket.resume()
    await until(() => client.closed !== undefined)
    expect(client.closed).toEqual({ code: 1013, reason: 'messages are not read fast enough' })
    expect(client.messages.length).toBeLessThan(60)
    await until(() => node.open.size === 0)
    expect(node.unsubscribed.toSorted()).toEqual(['0x1', '0x2'])
  })

  it('is asked for no more calls than fit in flight, as answers that were not taken count', async () => {
    node.answer = () => 'x'.repeat(2_000_000)
    const client = await openSocket(`${gateway.ws}${path}`)
    client.socket.pause()
    for (let id = 1; id <= 60; id++) {
      client.send(frame('a', [id], id))
      await sleep(2)
    }
    await sleep(300)
    // Some answers fit the buffers of the system.
    expect(node.calls.length).toBeLessThan(30)
    client.socket.resume()
    await until(() => client.messages.length === 60)
    await client.close()
  })

  it('and pings without end is cut', async () => {
    const connection = await rawUpgraded(gateway.ws, path)
    connection.socket.pause()
    const pings = Buffer.concat(Array.from({ length: 1_000 }, () => clientFrame(9, 'p'.repeat(125))))
    for (let i = 0; i < 1_000 && !connection.ended; i++) {
      connection.send(pings)
      await sleep(0)
      if (connection.socket.writableLength > 4_000_000) await sleep(20)
    }
    await until(() => connection.ended)
    expect(connection.ended).toBe(true)
  })
})

describe('a client that has gone without a word', () => {
  let pinging: RunningGateway

  beforeEach(async () => {
    pinging = await startTestGateway([node.url], {
      limits: { requestTimeoutMs: 15_000, maxInFlight: 1, webSocketPingMs: 500 },
    })
  })
  afterEach(() => pinging.close(0))

  async function pinged(client: TestSocket, times: number): Promise<void> {
    for (let i = 0; i < times; i++) await once(client.socket, 'ping')
  }

  it('is pinged, cut, and its subscriptions end', async () => {
    const connection = await rawUpgraded(pinging.ws, path)
    connection.send(clientFrame(text, frame('eth_subscribe', ['newHeads'])))
    await connection.saw(/"result":"0x/)
    await connection.saw(/\u0089/)
    await connection.whole()
    await until(() => node.open.size === 0)
  })

  it('is not one that answers pings', async () => {
    const client = await openSocket(`${pinging.ws}${path}`)
    await pinged(client, 3)
    client.send(frame('a'))
    expect(await client.next()).toMatchObject({ result: 'a' })
    await client.close()
  })

  it('is not one whose calls are all in flight', async () => {
    node.held = []
    const client = await openSocket(`${pinging.ws}${path}`)
    client.send(frame('a'))
    await pinged(client, 3)
    expect(client.closed).toBeUndefined()
    for (const answer of node.held) answer()
    expect(await client.next()).toMatchObject({ result: 'a' })
    await client.close()
  })
})
