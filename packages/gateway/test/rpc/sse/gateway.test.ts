import type { Config, RunningGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ChainNode, startChainNode, type TestChain, testChain } from '../../chain-node.ts'
import { basic, closedKey, elsewhereKey, key, rawConnection, secret, startTestGateway } from '../../support.ts'
import { upgrade } from '../../web-socket-client.ts'
import { type EventReader, openEvents } from './support.ts'

const day = 'a-key-with-a-daily-quota'
const soon = 'another-key-with-a-daily-quota'
const pages = 'a-key-of-one-page'
const chain: TestChain = testChain(100)
let node: ChainNode
let gateway: RunningGateway

function configOf(): Partial<Config> {
  const upstreams = [{ url: node.url, ws: node.ws }]
  return {
    networks: {
      mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true },
      other: { kind: 'evm', chainId: 1, upstreams, followHeads: true },
    },
    plans: { small: { perDay: { credits: 200 } } },
    projects: [
      { name: 'open', keys: [{ key, secret }] },
      { name: 'closed', requireSecret: true, keys: [{ key: closedKey, secret }] },
      { name: 'elsewhere', networks: ['other'], keys: [{ key: elsewhereKey }] },
      { name: 'day', plan: 'small', keys: [{ key: day }] },
      { name: 'soon', plan: 'small', keys: [{ key: soon }] },
      { name: 'pages', rules: { origins: ['https://page.example'] }, keys: [{ key: pages }] },
    ],
  }
}

beforeAll(async () => {
  node = await startChainNode(chain, 1)
  gateway = await startTestGateway([], configOf())
})

afterAll(async () => {
  await gateway.close()
  await node.close()
})

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${gateway.rpc}${path}?type=newHeads`, { headers })

/** Adds blocks until a reader has `count` heads: the first are told to whoever follows already. */
async function growUntil(reader: EventReader, count: number): Promise<void> {
  for (let i = 0; i < 200 && reader.events.length < count; i++) {
    chain.height++
    node.pushHead()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

describe('events of a gateway', () => {
  it('are the heads of its network, by path', async () => {
    const reader = await openEvents(`${gateway.rpc}/mainnet/v3/${key}/events?type=newHeads`)
    await growUntil(reader, 2)
    const heads = reader.events.map(({ data }) => JSON.parse(data) as { number: string; hash: string })
    expect(heads[0]).toMatchObject(pick(Number(heads[0]!.number)))
    expect(heads[1]).toMatchObject(pick(Number(heads[0]!.number) + 1))
    expect(reader.events.map(({ lastEventId }) => lastEventId)).toEqual(heads.map(({ hash }) => hash))
    reader.leave()
  })

  it('are for callers whom a WebSocket would admit', async () => {
    expect((await get(`/v3/${closedKey}/events`)).status).toBe(403)
    expect((await get(`/v3/${elsewhereKey}/events`)).status).toBe(403)
    expect((await get(`/v3/${pages}/events`, { origin: 'https://other.example' })).status).toBe(403)
    for (const [path, headers] of [
      [`/v3/${closedKey}/events`, { authorization: basic(closedKey, secret) }],
      [`/other/v3/${elsewhereKey}/events`, {}],
      [`/v3/${pages}/events`, { origin: 'https://page.example' }],
    ] as const) {
      const answer = await get(path, headers)
      expect(answer.status).toBe(200)
      await answer.body!.cancel()
    }
  })

  it('cost what they cost over a WebSocket, and end with the quota', async () => {
    const reader = await openEvents(`${gateway.rpc}/v3/${day}/events?type=newHeads`)
    expect(reader.response.headers.get('ratelimit')).toContain('r=195')
    await growUntil(reader, 5)
    await reader.ended
    expect(reader.events.map(({ type }) => type)).toEqual([...Array<string>(4).fill('newHeads'), 'end'])
    expect(JSON.parse(reader.events.at(-1)!.data)).toMatchObject({ error: { code: -32005 } })
    const spent = await get(`/v3/${day}/events`)
    expect([spent.status, await spent.json()]).toMatchObject([402, { error: { code: -32005 } }])
  })

  it('end before an offer of a WebSocket is answered that came behind them', async () => {
    const connection = rawConnection(gateway.rpc)
    const asked = `GET /v3/${soon}/events?type=newHeads HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
    connection.send(asked + upgrade(`/ws/v3/${key}`))
    await connection.saw(/text\/event-stream/)
    for (let i = 0; i < 200 && !connection.text.includes('event: end'); i++) {
      expect(connection.text).not.toContain('HTTP/1.1 101')
      chain.height++
      node.pushHead()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await connection.saw(/event: end[^]*HTTP\/1\.1 101 /)
    connection.socket.destroy()
  })

  it('end with it', async () => {
    const before = await startTestGateway([], configOf())
    const reader = await openEvents(`${before.rpc}/v3/${key}/events?type=newHeads`)
    const closing = before.close(60_000)
    await reader.ended
    expect(JSON.parse(reader.events.at(-1)!.data)).toMatchObject({
      error: { code: -32603, message: 'the gateway is closing: connect again' },
    })
    await closing
  })

  it('are counted while they are open', async () => {
    const printed = async (): Promise<string> => (await fetch(`${gateway.admin}/metrics`)).text()
    const reader = await openEvents(`${gateway.rpc}/other/v3/${key}/events?type=newHeads`)
    expect(await printed()).toContain('wayleave_event_streams{network="other"} 1')
    reader.leave()
    let text = ''
    for (let i = 0; i < 200 && !text.includes('wayleave_event_streams{network="other"} 0'); i++) text = await printed()
    expect(text).toContain('wayleave_event_streams{network="other"} 0')
  })
})

function pick(number: number): { readonly number: string; readonly hash: string } {
  const { hash } = chain.block(number)
  return { number: `0x${number.toString(16)}`, hash }
}
