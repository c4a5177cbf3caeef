import { RpcError, rawJsonFromValue, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { networkKinds } from '@wayleave/network/internal/kinds/index'
import { failureOfAnswer, failureOfRejection } from '../../src/rpc/call-outcome.ts'
import { openSocket } from '../web-socket-client.ts'
import { frame, key, startNode, startTestGateway } from '../support.ts'

const { evm } = networkKinds

async function metricsOf(admin: string, name: string): Promise<readonly string[]> {
  const text = await (await fetch(`${admin}/metrics`)).text()
  return text.split('\n').filter((line) => line.startsWith(`${name}{`))
}

const revert = { code: 3, message: 'execution reverted', data: '0x' }
const answers: Readonly<Record<string, RpcResponse>> = {
  eth_call: { error: revert },
  eth_getBalance: { error: { code: -32602, message: 'invalid argument 0' } },
}

async function started(handler: (request: RpcRequest) => Promise<RpcResponse>) {
  const node = await startNode(handler)
  onTestFinished(() => node.close())
  const gateway = await startTestGateway([node.url])
  onTestFinished(() => gateway.close(0))
  const post = async (body: string, path = `/v3/${key}`): Promise<Response> => {
    const response = await fetch(gateway.rpc + path, { method: 'POST', body })
    await response.arrayBuffer()
    return response
  }
  return { gateway, post, node }
}

describe('the calls of a network', () => {
  it('are counted one each, alone, in a batch and over a WebSocket, by class, outcome and status', async () => {
    const { gateway, post } = await started(
      async ({ method }) => answers[method] ?? { result: rawJsonFromValue('0x1') },
    )
    await post(frame('eth_blockNumber'))
    await post(`[${frame('eth_blockNumber')},${frame('eth_call', [{}])},${frame('debug_traceTransaction', ['0x'])}]`)
    await post(frame('eth_getBalance', [1]))
    await post(frame('admin_peers'))
    const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    socket.send(frame('eth_chainId'))
    await socket.next()
    await socket.close()
    expect(await metricsOf(gateway.admin, 'wayleave_calls_total')).toEqual([
      'wayleave_calls_total{network="mainnet",class="read",outcome="ok",status="200"} 3',
      'wayleave_calls_total{network="mainnet",class="read",outcome="execution",status="200"} 1',
      'wayleave_calls_total{network="mainnet",class="heavy",outcome="ok",status="200"} 1',
      'wayleave_calls_total{network="mainnet",class="read",outcome="caller",status="200"} 1',
      'wayleave_calls_total{network="mainnet",class="write",outcome="caller",status="200"} 1',
    ])
    expect(await metricsOf(gateway.admin, 'wayleave_project_calls_total')).toEqual([
      'wayleave_project_calls_total{project="open",outcome="ok"} 4',
      'wayleave_project_calls_total{project="open",outcome="execution"} 1',
      'wayleave_project_calls_total{project="open",outcome="caller"} 2',
    ])
    expect(await metricsOf(gateway.admin, 'wayleave_call_seconds_count')).toEqual([
      'wayleave_call_seconds_count{network="mainnet",class="read",status="2xx"} 5',
      'wayleave_call_seconds_count{network="mainnet",class="heavy",status="2xx"} 1',
      'wayleave_call_seconds_count{network="mainnet",class="write",status="2xx"} 1',
    ])
  })

  it('that no upstream answered are outcomes of an upstream', async () => {
    const { gateway, post, node } = await started(async () => ({ result: rawJsonFromValue('0x1') }))
    await node.close()
    expect((await post(frame('eth_blockNumber'))).status).toBe(502)
    expect(await metricsOf(gateway.admin, 'wayleave_calls_total')).toEqual([
      'wayleave_calls_total{network="mainnet",class="read",outcome="upstream",status="502"} 1',
    ])
    expect(await metricsOf(gateway.admin, 'wayleave_call_seconds_count')).toEqual([
      'wayleave_call_seconds_count{network="mainnet",class="read",status="5xx"} 1',
    ])
  })

  it('are none where a key is refused', async () => {
    const { gateway, post } = await started(async () => ({ result: rawJsonFromValue('0x1') }))
    for (let i = 0; i < 3; i++) expect((await post(frame('eth_blockNumber'), '/v3/unknown')).status).toBe(401)
    expect(await metricsOf(gateway.admin, 'wayleave_calls_total')).toEqual([])
    expect(await metricsOf(gateway.admin, 'wayleave_refusals_total')).toEqual([
      'wayleave_refusals_total{status="401"} 3',
    ])
  })
})

it('a flood of reverts, of wrong keys and of limits leaves availability as it was', async () => {
  const node = await startNode(async ({ method }) => answers[method] ?? { result: rawJsonFromValue('0x1') })
  onTestFinished(() => node.close())
  const gateway = await startTestGateway([node.url], {
    plans: { small: { perSecond: { credits: 80, burst: 80 } }, daily: { perDay: { credits: 80 } } },
    projects: [
      { name: 'open', keys: [{ key }] },
      { name: 'limited', keys: [{ key: 'limited-key', plan: 'small' }] },
      { name: 'spent', keys: [{ key: 'spent-key', plan: 'daily' }] },
    ],
  })
  onTestFinished(() => gateway.close(0))
  const ask = async (path: string, body: string): Promise<number> => {
    const response = await fetch(`${gateway.rpc}/v3/${path}`, { method: 'POST', body })
    await response.arrayBuffer()
    return response.status
  }
  const seen = new Set<number>()
  for (let i = 0; i < 40; i++) {
    const all = [
      ask(key, frame('eth_call', [{}])),
      ask('wrong-key', frame('a')),
      ask('limited-key', frame('eth_call', [{}])),
      ask('spent-key', frame('eth_call', [{}])),
    ]
    for (const status of await Promise.all(all)) seen.add(status)
  }
  expect([...seen].toSorted()).toEqual([200, 401, 402, 429])
  const calls = await metricsOf(gateway.admin, 'wayleave_calls_total')
  expect(new Set(calls.map((line) => /outcome="(\w+)"/.exec(line)![1]))).toEqual(new Set(['execution', 'limited']))
  expect(await metricsOf(gateway.admin, 'wayleave_refusals_total')).toEqual([
    'wayleave_refusals_total{status="401"} 40',
  ])
})

describe('the outcome of', () => {
  const request: RpcRequest = { method: 'eth_call', params: undefined, notification: false }
  const byNode = { endpoint: 'own' }

  it.each([
    ['a revert', { code: 3, message: 'execution reverted', data: '0x' }, byNode, 'execution'],
    [
      'a revert in words alone',
      { code: -32603, message: 'VM Exception while processing transaction: reverted' },
      byNode,
      'execution',
    ],
    ['a low nonce', { code: -32000, message: 'nonce too low' }, byNode, 'execution'],
    ['a wrong parameter', { code: -32602, message: 'invalid argument 0' }, byNode, 'caller'],
    [
      'a method that no node has',
      { code: -32601, message: 'the method x does not exist/is not available' },
      byNode,
      'caller',
    ],
    ['a block that is pruned', { code: -32000, message: 'missing trie node abc' }, byNode, 'caller'],
    ['a node that failed', { code: -32603, message: 'internal error' }, byNode, 'upstream'],
    ['a provider whose limit is met', { code: -32005, message: 'rate limit exceeded' }, byNode, 'upstream'],
    ['too many subscriptions, which the gateway says', { code: -32005, message: 'too many' }, undefined, 'limited'],
    ['a denied method, which the gateway says', { code: -32601, message: 'x' }, undefined, 'caller'],
  ] as const)('%s', (_of, error, meta, outcome) => {
    expect(failureOfAnswer(request, error, meta, evm)).toEqual({ outcome, status: 200, code: error.code })
  })

  it.each([
    ['a caller who left', new RpcError('aborted', 'x'), 'caller', 499],
    ['a denial', new RpcError('denied', 'x'), 'caller', 403],
    ['a limit', new RpcError('denied', 'x', { httpStatus: 429 }), 'limited', 429],
    [
      'a budget of the process',
      new RpcError('overloaded', 'x', { rpc: { code: -32005, message: 'x' } }),
      'limited',
      503,
    ],
    ['busy upstreams', new RpcError('overloaded', 'x'), 'upstream', 503],
    ['a timeout', new RpcError('timeout', 'x'), 'upstream', 504],
    ['no upstream', new RpcError('unavailable', 'x'), 'upstream', 503],
    ['a bug', new RpcError('unavailable', 'x', { cause: new TypeError('y') }), 'gateway', 503],
    ['anything else that is thrown', new TypeError('y'), 'gateway', 500],
    ['too long an answer', new RpcError('too_large', 'x'), 'caller', 200],
    ['a connection that broke', new RpcError('disconnected', 'x'), 'upstream', 502],
  ] as const)('%s', (_of, thrown, outcome, status) => {
    expect(failureOfRejection(thrown)).toMatchObject({ outcome, status })
  })
})
