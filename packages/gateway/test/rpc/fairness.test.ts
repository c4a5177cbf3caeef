import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Config, GatewayOptions } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'
import { frame, key, send, startNodeWith, startTestGateway, type TestNode, until, withFixed } from '../support.ts'
import { openSocket } from '../web-socket-client.ts'

const good = 'b'.repeat(32)

/** Methods that the node never answers: one of no table, of which one call is made at a time until a node has it, and others. */
const hangs = new Set(['eth_slow', 'eth_getLogs', 'debug_traceTransaction'])

/** A node that never answers `slow`, and everything else at once. */
async function startSlowNode(): Promise<TestNode & { readonly hanging: ServerResponse[] }> {
  const hanging: ServerResponse[] = []
  const node = await startNodeWith(async (request: IncomingMessage, response, calls) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const { id, method } = JSON.parse(text) as { id: number; method: string }
    calls.push(method)
    if (hangs.has(method)) return void hanging.push(response)
    response.end(`{"jsonrpc":"2.0","id":${id},"result":"0x1"}`)
  })
  onTestFinished(() => node.close())
  return Object.assign(node, { hanging })
}

async function startGateway(upstreams: readonly string[], limits = {}, options: GatewayOptions = {}) {
  const config: Partial<Config> = {
    defaultNetwork: 'one',
    networks: {
      one: { kind: 'evm', chainId: 1, upstreams },
      // The same node serves another network.
      two: { kind: 'evm', chainId: 1, upstreams: [upstreams[0]!] },
    },
    projects: [
      { name: 'greedy', keys: [{ key }] },
      { name: 'good', keys: [{ key: good }] },
    ],
    limits,
  }
  const gateway = await startTestGateway([], config, options)
  onTestFinished(() => gateway.close(0))
  return gateway
}

const slowBatch = (count: number, method: string): string =>
  `[${Array.from({ length: count }, (_, id) => frame(method, [id], id)).join(',')}]`

/** Has short answers come for the greedy project: the calls of one that nobody knows count as several. */
async function introduce({ rpc }: { readonly rpc: string }, networks: readonly string[]): Promise<void> {
  for (const network of networks) {
    for (let i = 0; i < 25; i++) await send(rpc, `/${network}/v3/${key}`, { body: frame('eth_chainId') })
  }
}

/** Asks as the good project, on both networks, by a read, a write and over WebSocket. */
async function answersToTheGood({ rpc, ws }: { readonly rpc: string; readonly ws: string }): Promise<string[]> {
  const asked = [
    [`/v3/${good}`, frame('eth_chainId')],
    [`/v3/${good}`, frame('eth_sendRawTransaction', ['0x'])],
    [`/two/v3/${good}`, frame('eth_chainId')],
    [`/two/v3/${good}`, frame('eth_sendRawTransaction', ['0x'])],
  ] as const
  const answers = await Promise.all(asked.map(([path, body]) => send(rpc, path, { body })))
  const socket = await openSocket(`${ws}/ws/v3/${good}`)
  socket.send(frame('eth_blockNumber'))
  const pushed = await socket.next()
  socket.close()
  return [...answers.map(({ status, body }) => `${status} ${body}`), JSON.stringify(pushed)]
}

it.each([
  ['reads', 'eth_getLogs', 1],
  ['reads', 'eth_getLogs', 2],
  ['writes', 'eth_slow', 1],
])('a project whose %s (%s) hang takes nothing from others, before %i upstreams', async (_what, method, upstreams) => {
  const nodes = await Promise.all(Array.from({ length: upstreams }, startSlowNode))
  const gateway = await startGateway(nodes.map(({ url }) => url))
  await introduce(gateway, ['one', 'two'])
  // 2,000 calls of the greedy project, on both networks: all of them hang, or wait.
  for (const network of ['one', 'two']) {
    void send(gateway.rpc, `/${network}/v3/${key}`, { body: slowBatch(1_000, method) }).catch(() => {})
  }
  const hanging = (): number => nodes.reduce((sum, node) => sum + node.hanging.length, 0)
  await until(() => hanging() >= 137)
  for (const answer of await answersToTheGood(gateway)) expect(answer).toContain('"result":"0x1"')
  expect(hanging()).toBeGreaterThan(137)
})

it('names the limit to a project that has too many calls in flight, and counts it', async () => {
  const node = await startSlowNode()
  const limits = { maxCalls: 50, maxUpstreamCalls: 20, requestTimeoutMs: 1_000 }
  const gateway = await startGateway([node.url], limits, withFixed({ maxBatchInFlight: 60, maxQueueMs: 100 }))
  await introduce(gateway, ['one'])
  const { status, body } = await send(gateway.rpc, `/v3/${key}`, { body: slowBatch(60, 'debug_traceTransaction') })
  const reported = (JSON.parse(body) as { error: { code: number; message: string } }[]).map(({ error }) => error)
  expect(status).toBe(200)
  const counts = Map.groupBy(reported, ({ code, message }) => `${code} ${message}`)
  expect([...counts].map(([text, { length }]) => [text, length])).toEqual([
    ['-32002 no upstream answered: 1 timed out', 18],
    ['-32005 no upstream has room for this call (limits.maxUpstreamCalls)', 27],
    ['-32005 too many calls of this project are in flight (limits.maxCalls)', 15],
  ])
  const metrics = (await send(gateway.admin, '/metrics')).body
  expect(metrics).toContain('wayleave_budget_refusals_total{budget="maxUpstreamCalls",project="greedy"} 27')
  expect(metrics).toContain('wayleave_budget_refusals_total{budget="maxCalls",project="greedy"} 15')
  expect(metrics).toContain('wayleave_queue_seconds_count{network="one"} 27')
  const single = await Promise.all(
    Array.from({ length: 60 }, (_, id) =>
      send(gateway.rpc, `/v3/${key}`, { body: frame('debug_traceTransaction', [id]) }),
    ),
  )
  const refused = single.filter(({ status: code }) => code === 503)
  expect(refused).toHaveLength(42)
  expect(refused.every(({ headers }) => headers['retry-after'] === '1')).toBe(true)
})

it('a batch leaves slots to the single calls of its own project', async () => {
  const node = await startSlowNode()
  const gateway = await startGateway([node.url])
  await introduce(gateway, ['one'])
  void send(gateway.rpc, `/v3/${key}`, { body: slowBatch(1_000, 'eth_slow') }).catch(() => {})
  await until(() => node.hanging.length >= 100)
  expect(await (await send(gateway.rpc, `/v3/${key}`, { body: frame('eth_chainId') })).body).toContain('"0x1"')
})
