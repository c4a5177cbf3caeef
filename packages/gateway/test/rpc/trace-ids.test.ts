import { createLog, type RunningGateway } from '@wayleave/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ChainNode, startChainNode, testChain } from '../chain-node.ts'
import { frame, key, refusedUrl, send, startTestGateway } from '../support.ts'
import { openSocket } from '../web-socket-client.ts'

interface Reported {
  readonly id: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

const call = frame('eth_gasPrice')

async function begin(node?: ChainNode) {
  const lines: Record<string, unknown>[] = []
  const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(JSON.parse(line)) } })
  const upstreams = [node?.url ?? (await refusedUrl())]
  const networks = {
    mainnet: { kind: 'evm', chainId: 1, upstreams, timeouts: { byMethod: { eth_hang: 200 } } },
  } as const
  const gateway = await startTestGateway([], { networks, limits: { maxBatch: 5 } }, { log })
  onTestFinished(() => gateway.close(0))
  return { gateway, lines }
}

async function startNode(): Promise<ChainNode> {
  const node = await startChainNode(testChain(9), 1)
  onTestFinished(() => node.close())
  return node
}

describe('an error that the gateway made', () => {
  it.each([
    ['no upstream answered', frame('eth_gasPrice'), 502, -32603],
    ['a method that is denied', frame('admin_peers'), 200, -32601],
    ['a body that is no JSON', '{"jsonrpc":', 400, -32700],
    ['a call that is none', '{"jsonrpc":"2.0","id":1}', 200, -32600],
    ['a batch that is empty', '[]', 200, -32600],
    ['a subscription over HTTP', frame('eth_subscribe', ['newHeads']), 200, -32601],
  ])('for %s holds the trace id of its answer', async (_what, body, status, code) => {
    const { gateway } = await begin()
    const answer = await send(gateway.rpc, `/v3/${key}`, { body })
    const { error } = JSON.parse(answer.body) as Reported
    expect(answer.headers['x-trace-id']).toMatch(/./)
    expect([answer.status, error?.code, error?.data]).toEqual([status, code, { traceId: answer.headers['x-trace-id'] }])
  })

  it.each([
    [
      'alone',
      async ({ rpc }: RunningGateway) => JSON.parse((await send(rpc, `/v3/${key}`, { body: call })).body) as Reported,
    ],
    [
      'in a batch',
      async ({ rpc }: RunningGateway) => {
        const { body } = await send(rpc, `/v3/${key}`, { body: `[${call}]` })
        return (JSON.parse(body) as Reported[])[0]!
      },
    ],
    [
      'over WebSocket',
      async ({ ws }: RunningGateway) => {
        const socket = await openSocket(`${ws}/ws/v3/${key}`)
        socket.send(call)
        const reported = (await socket.next()) as Reported
        await socket.close()
        return reported
      },
    ],
  ])('%s holds the id under which the log tells what happened', async (_how, ask) => {
    const { gateway, lines } = await begin()
    const { error } = await ask(gateway)
    expect(error?.message).toBe('no upstream answered: 1 unreachable')
    expect(lines.filter(({ traceId }) => traceId !== undefined).map(({ traceId }) => ({ traceId }))).toEqual([
      error?.data,
    ])
  })

  it('for a time that has passed holds it, too', async () => {
    const node = await startNode()
    node.answer = (method) => (method === 'eth_hang' ? 'hang' : undefined)
    const { gateway } = await begin(node)
    const { status, headers, body } = await send(gateway.rpc, `/v3/${key}`, { body: frame('eth_hang') })
    expect([status, JSON.parse(body).error]).toEqual([
      504,
      { code: -32002, message: 'no upstream answered: 1 timed out', data: { traceId: headers['x-trace-id'] } },
    ])
  })

  it('holds it in each element of a batch, and a batch that is too large as well', async () => {
    const node = await startNode()
    const nodes = { code: -32000, message: 'its own words', data: [1e21] }
    node.answer = (method) =>
      method === 'eth_gasPrice' ? { error: nodes } : method === 'eth_hang' ? 'hang' : undefined
    const { gateway } = await begin(node)
    const elements = [
      frame('eth_blockNumber', [], 1),
      frame('eth_gasPrice', [], 2),
      frame('eth_hang', [], 3),
      '7',
      frame('admin_peers', [], 5),
    ]
    const { headers, body } = await send(gateway.rpc, `/v3/${key}`, { body: `[${elements.join(',')}]` })
    const whole = headers['x-trace-id'] as string
    const reported = JSON.parse(body) as Reported[]
    expect(reported.map(({ id, error }) => [id, error?.code, error?.data])).toEqual([
      [1, undefined, undefined],
      [2, -32000, [1e21]],
      [3, -32002, { traceId: `${whole}.3` }],
      [null, -32600, { traceId: whole }],
      // Calls count that could be read.
      [5, -32601, { traceId: `${whole}.4` }],
    ])
    const large = await send(gateway.rpc, `/v3/${key}`, { body: `[${Array(6).fill(frame('eth_gasPrice')).join(',')}]` })
    expect(JSON.parse(large.body)).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32600, message: 'batch too large', data: { traceId: large.headers['x-trace-id'] } },
      },
    ])
  })

  it('holds that of the upgrade over WebSocket, single and in batches', async () => {
    const { gateway } = await begin()
    const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    for (const text of [call, `[${call},${frame('admin_peers')}]`, '7', 'no json']) socket.send(text)
    const reported: unknown[] = []
    for (let i = 0; i < 4; i++) reported.push(await socket.nextUntraced())
    const codes = (reported.flat() as Reported[]).map(({ error }) => error?.code)
    expect(codes.toSorted()).toEqual([-32600, -32601, -32603, -32603, -32700].toSorted())
    await socket.close()
  })
})

it("a node's own error crosses byte for byte, also without data", async () => {
  const node = await startNode()
  const { gateway } = await begin(node)
  for (const error of [
    { code: 3, message: 'execution reverted' },
    { code: 3, message: 'execution reverted', data: '0x' },
  ]) {
    node.answer = (method) => (method === 'eth_call' ? { error } : undefined)
    const { body } = await send(gateway.rpc, `/v3/${key}`, { body: frame('eth_call', [{}]) })
    expect(body).toBe(JSON.stringify({ jsonrpc: '2.0', id: 1, error }))
    const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    socket.send(frame('eth_call', [{}]))
    expect(await socket.next()).toEqual({ jsonrpc: '2.0', id: 1, error })
    await socket.close()
  }
})
