import { createApiKey } from '@wayleave/auth'
import type { Config } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'
import { startChainNode, testChain } from '../chain-node.ts'
import { openEvents } from '../rpc/sse/support.ts'
import { frame } from '../support.ts'
import { openSocket } from '../web-socket-client.ts'
import { isMissing, type Kind, kinds, startAs } from './processes.ts'

const credits = 1_000
/** An event's price, beside the 5 credits of a subscription. */
const price = 400
const streams = 20

/** An open stream of heads. */
interface Stream {
  /** Events that it was told. */
  reported(): number
  /** The reason that it ended for; undefined: it goes on. */
  reason(): string | undefined
}

async function openServerSent({ rpc }: { readonly rpc: string }, key: string): Promise<Stream> {
  const { events, leave } = await openEvents(`${rpc}/v3/${key}/events?type=newHeads`)
  onTestFinished(leave)
  return {
    reported: () => events.filter(({ type }) => type === 'newHeads').length,
    reason: () => events.find(({ type }) => type === 'end')?.data,
  }
}

async function openWebSocket({ ws }: { readonly ws: string }, key: string): Promise<Stream> {
  const opened = await openSocket(`${ws}/ws/v3/${key}`)
  onTestFinished(() => opened.socket.terminate())
  opened.send(frame('eth_subscribe', ['newHeads'], 1))
  expect(await opened.next()).toMatchObject({ result: expect.any(String) as string })
  return {
    reported: () => opened.messages.filter((text) => text.includes('eth_subscription')).length,
    reason: () => opened.closed?.reason,
  }
}

/** Opens streams of a key at all processes in turn, whose quota has 900 credits for their events. */
async function begin(kind: Kind, open: typeof openWebSocket | typeof openServerSent) {
  const chain = testChain(100)
  const node = await startChainNode(chain, 1)
  onTestFinished(() => node.close())
  const key = createApiKey()
  const { gateways } = await startAs(kind, {
    networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: [{ url: node.url, ws: node.ws }], followHeads: true } },
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    plans: { day: { perDay: { credits } } },
    prices: { events: { newHeads: price } },
    projects: [{ name: 'shop', plan: 'day', keys: [{ key }] }],
  } as Partial<Config>)
  const opened: Stream[] = []
  for (let i = 0; i < streams; i++) opened.push(await open(gateways[i % gateways.length]!, key))
  return {
    opened,
    reported: () => opened.reduce((sum, stream) => sum + stream.reported(), 0),
    grow() {
      chain.height++
      node.pushHead()
    },
  }
}

const cases = kinds.flatMap((kind) => [
  { kind, name: 'server-sent events', open: openServerSent },
  { kind, name: 'WebSockets', open: openWebSocket },
])

it.for(cases)(
  'a quota is spent by the events of 20 streams to less than a price beyond it, and each ends for it: $name of $kind',
  { timeout: 60_000 },
  async ({ kind, open }, { skip }) => {
    skip(isMissing(kind))
    const { opened, reported, grow } = await begin(kind, open)
    await expect
      .poll(
        () => {
          grow()
          return opened.filter((stream) => stream.reason() !== undefined).length
        },
        { interval: 100, timeout: 20_000 },
      )
      .toBe(streams)
    for (const stream of opened) expect(stream.reason()).toContain('daily request count exceeded')
    const spent = streams * 5 + reported() * price
    expect(spent).toBeGreaterThan(credits - price)
    expect(spent).toBeLessThan(credits + price)
  },
)
