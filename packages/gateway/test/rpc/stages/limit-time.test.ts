import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RpcError, RpcHandler } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { GatewayContext } from '../../../src/context/context.ts'
import { limitTime } from '../../../src/rpc/stages/limit-time.ts'
import { createTimeouts } from '../../../src/config/timeouts.ts'
import { call, frame, key, principalOf, send, startNodeWith, startTestGateway, until } from '../../support.ts'
import { openSocket } from '../../web-socket-client.ts'

describe('a call', () => {
  function scene(byMethod: Record<string, string> | undefined) {
    const clock = new FakeClock()
    const mainnet = { kind: 'evm', chainId: 1, upstreams: ['http://a'], ...(byMethod && { timeouts: { byMethod } }) }
    const timeouts = createTimeouts({ networks: { mainnet } as never }, { requestTimeoutMs: 30_000 }).at('mainnet', 'p')
    const context = new GatewayContext(
      { clock, deadline: clock.now() + timeouts.longestMs },
      {
        principal: principalOf({ id: 'p', name: 'p', requireSecret: false }),
        network: 'mainnet',
        traceId: 't',
        timeouts,
      },
    )
    const below: GatewayContext[] = []
    const ends: (readonly [method: string, why: RpcError['code'], after: number])[] = []
    const silent: RpcHandler<GatewayContext> = ({ method }, given) => {
      below.push(given)
      given.onCancel(({ code }) => void ends.push([method, code, clock.now() - 1_000]))
      return new Promise((_resolve, reject) => given.onCancel(reject))
    }
    const handler = limitTime(clock)(silent as RpcHandler)
    const ask = (method: string): void => void handler(call(method), context).catch(() => {})
    return { clock, context, below, ends, ask }
  }

  it('has the time of its method, be it shorter or longer than that of others', () => {
    const { clock, ends, ask } = scene({ 'debug_*': '120s', eth_blockNumber: '2s' })
    for (const method of ['debug_traceCall', 'eth_call', 'eth_blockNumber']) ask(method)
    clock.advance(120_000)
    expect(ends).toEqual([
      ['eth_blockNumber', 'timeout', 2_000],
      ['eth_call', 'timeout', 30_000],
      ['debug_traceCall', 'timeout', 120_000],
    ])
    expect(clock.timers).toBe(0)
  })

  it('passes in the context of its request where its time is that of the request', () => {
    const { below, context, ask } = scene(undefined)
    ask('eth_call')
    expect(below).toEqual([context])
  })

  it('is the same project and tenant as its request where it has a time of its own', () => {
    const { below, context, ask } = scene({ eth_call: '1s' })
    ask('eth_call')
    expect([below[0]!.tenant, below[0]!.caller]).toEqual(['p', context.caller])
  })
})

/** A node that answers calls of `debug_` when they are released, and no others. */
async function startHoldingNode() {
  const held: (() => void)[] = []
  const node = await startNodeWith(async (request: IncomingMessage, response: ServerResponse, calls) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const { id, method } = JSON.parse(text) as { id: number; method: string }
    calls.push(method)
    if (method.startsWith('debug_')) {
      held.push(() => response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":"${method}"}`))
    }
  })
  onTestFinished(() => node.close())
  return { ...node, release: () => held.splice(0).forEach((answer) => answer()), held }
}

describe('through the gateway, a method with a longer time than `limits.requestTimeoutMs`', () => {
  async function scene() {
    const node = await startHoldingNode()
    const timeouts = { byMethod: { 'debug_*': '10m' } }
    const gateway = await startTestGateway([], {
      networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url], timeouts } },
      projects: [{ name: 'open', keys: [{ key }] }],
      limits: { requestTimeoutMs: 100, readTimeoutMs: 300 },
    })
    onTestFinished(() => gateway.close(0))
    return { node, gateway }
  }

  it('is answered after others have timed out', async () => {
    const { node, gateway } = await scene()
    const slow = send(gateway.rpc, `/v3/${key}`, { body: frame('debug_traceCall') })
    await until(() => node.held.length === 1)
    // Together they take longer than a connection may be silent by those limits.
    for (let i = 0; i < 4; i++) {
      expect((await send(gateway.rpc, `/v3/${key}`, { body: frame('eth_getBalance') })).status).toBe(504)
    }
    node.release()
    const { status, body } = await slow
    expect([status, JSON.parse(body)]).toMatchObject([200, { result: 'debug_traceCall' }])
  })

  it('is so in a batch and over WebSocket, too', async () => {
    const { node, gateway } = await scene()
    const client = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    client.send(frame('debug_traceCall', [], 1))
    client.send(frame('eth_getBalance', [1], 2))
    const batch = `[${frame('debug_traceBlock', [], 1)},${frame('eth_getBalance', [2], 2)}]`
    const answer = send(gateway.rpc, `/v3/${key}`, { body: batch })
    const timedOut = { id: 2, error: { code: -32002, message: 'no upstream answered: 1 timed out' } }
    expect(await client.next()).toMatchObject(timedOut)
    await until(() => node.held.length === 2)
    // By the time of this one, that of the batch's has come.
    expect((await send(gateway.rpc, `/v3/${key}`, { body: frame('eth_getBalance', [3]) })).status).toBe(504)
    node.release()
    expect(await client.next()).toMatchObject({ id: 1, result: 'debug_traceCall' })
    expect(JSON.parse((await answer).body)).toMatchObject([{ id: 1, result: 'debug_traceBlock' }, timedOut])
    await client.close()
  })
})

it('a shorter time of a project holds for its callers alone, also where the answer is shared', async () => {
  const node = await startHoldingNode()
  const hasty = 'h'.repeat(32)
  const gateway = await startTestGateway([], {
    networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url] } },
    projects: [
      { name: 'open', keys: [{ key }] },
      { name: 'hasty', keys: [{ key: hasty }], timeouts: { default: '50ms' } },
    ],
  })
  onTestFinished(() => gateway.close(0))
  const body = frame('debug_traceCall')
  const patient = send(gateway.rpc, `/v3/${key}`, { body })
  await until(() => node.held.length === 1)
  expect((await send(gateway.rpc, `/v3/${hasty}`, { body })).status).toBe(504)
  node.release()
  expect([(await patient).status, node.calls]).toEqual([200, ['debug_traceCall']])
})
