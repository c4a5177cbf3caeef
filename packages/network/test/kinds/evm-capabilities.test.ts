import { rawJsonFromValue, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { evm } from '../../src/kinds/evm.ts'
import { starknet } from '../../src/kinds/starknet.ts'

const history = evm.history!
const hash = `0x${'ab'.repeat(32)}`
const call = (method: string, params: readonly unknown[]): RpcRequest => ({
  method,
  params: rawJsonFromValue(params),
  notification: false,
})
const result = (value: unknown): RpcResponse => ({ result: rawJsonFromValue(value) })
const missing: RpcResponse = { error: { code: -32601, message: 'the method does not exist/is not available' } }

describe('the history that a call reads', () => {
  it.each([
    ['eth_getBalance', ['0xaa', '0x5'], { resource: 'state', block: 5, isCertain: true }],
    ['eth_call', [{}, { blockNumber: '0x10' }], { resource: 'state', block: 16, isCertain: true }],
    ['eth_call', [{}, { blockHash: hash }], { resource: 'state', hash, isCertain: true }],
    ['eth_getProof', ['0xaa', [], '0x5'], { resource: 'proofs', block: 5, isCertain: true }],
    ['eth_getBlockByNumber', ['0x5', false], { resource: 'blocks', block: 5, isCertain: true }],
    ['eth_getTransactionByBlockNumberAndIndex', ['0x5', '0x9'], { resource: 'blocks', block: 5, isCertain: false }],
    ['eth_getBlockReceipts', ['0x5'], { resource: 'receipts', block: 5, isCertain: true }],
    ['eth_getLogs', [{ fromBlock: '0x5', toBlock: '0x9' }], { resource: 'logs', block: 5, isCertain: false }],
    ['eth_getLogs', [{ fromBlock: 'earliest' }], { resource: 'logs', block: 0, isCertain: false }],
    ['eth_getLogs', [{ blockHash: hash }], { resource: 'logs', hash, isCertain: false }],
    ['debug_traceBlockByNumber', ['0x5', {}], { resource: 'traces', block: 5, isCertain: true }],
    ['trace_filter', [{ fromBlock: '0x5' }], { resource: 'traces', block: 5, isCertain: false }],
    [
      'eth_getTransactionReceipt',
      [hash.toUpperCase().replace('X', 'x')],
      { resource: 'transactions', hash, isCertain: true },
    ],
    [
      'debug_traceTransaction',
      [hash, { tracer: 'callTracer' }],
      { resource: 'transactions', hash, isCertain: true, content: 'traces' },
    ],
    [
      'debug_traceTransaction',
      [hash, { tracer: '{}' }],
      { resource: 'transactions', hash, isCertain: false, content: 'traces' },
    ],
    ['trace_get', [hash, ['0x0']], { resource: 'transactions', hash, isCertain: false, content: 'traces' }],
    ['debug_traceCall', [{}, '0x5', { tracer: '{}' }], { resource: 'traces', block: 5, isCertain: false }],
    ['eth_getBlockAccessList', ['0x5'], { resource: 'blocks', block: 5, isCertain: false }],
    ['eth_getBalance', ['0xaa', 'latest'], undefined],
    ['eth_getBalance', ['0xaa'], undefined],
    ['eth_getBlockByNumber', ['finalized', false], undefined],
    ['eth_getLogs', [{}], undefined],
    ['eth_getLogs', ['nothing'], undefined],
    ['eth_blockNumber', [], undefined],
    ['eth_getTransactionReceipt', ['0x1'], undefined],
  ])('of %s %j is %j', (method, params, read) => {
    expect(history.reads(call(method, params))).toEqual(read)
  })
})

it('an empty list is nothing where lists are asked for, and null everywhere', () => {
  const logs = call('eth_getLogs', [{}])
  const block = call('eth_getBlockByNumber', ['0x1', false])
  expect(history.nothingIn(logs, result([]))).toBe('empty')
  expect(history.nothingIn(logs, result([{}]))).toBeUndefined()
  expect(history.nothingIn(block, result(null))).toBe('null')
  expect(history.nothingIn(call('trace_filter', [{}]), result('0x'))).toBeUndefined()
  expect(history.nothingIn(block, missing)).toBeUndefined()
})

/** Examines a node, and returns its notes and the methods that it was asked for. */
async function examine(answer: (method: string, params: readonly unknown[]) => RpcResponse, head = 20_000) {
  const notes: unknown[] = []
  const asked: string[] = []
  const ask = async ({ method, params }: RpcRequest): Promise<RpcResponse> => {
    asked.push(method)
    return answer(method, params!.value() as readonly unknown[])
  }
  await history.examine(ask, head, {
    reported: (resource, retention) => notes.push(['reported', resource, retention]),
    served: (resource, block) => notes.push(['served', resource, block]),
    lacked: (resource, block) => notes.push(['lacked', resource, block]),
  })
  return { notes, asked }
}

describe('the examination of a node', () => {
  it('believes eth_capabilities, and asks nothing else then', async () => {
    const window = {
      disabled: false,
      oldestBlock: '0x4da1',
      deleteStrategy: { type: 'window', retentionBlocks: '0x80' },
    }
    const { notes, asked } = await examine(() =>
      result({
        head: { number: '0x4e20', hash },
        state: window,
        stateproofs: { disabled: true },
        blocks: { disabled: false, oldestBlock: '0x0' },
        receipts: { disabled: false, oldestBlock: '0x3e8', deleteStrategy: { type: 'none' } },
        logs: { disabled: false, deleteStrategy: { type: 'window', retentionBlocks: 64 } },
        tx: { disabled: false, oldestBlock: '0x7d0' },
      }),
    )
    expect(asked).toEqual(['eth_capabilities'])
    expect(notes).toEqual([
      ['reported', 'state', { oldest: 19_873, blocks: 128 }],
      ['reported', 'proofs', { oldest: Number.POSITIVE_INFINITY }],
      ['reported', 'blocks', { oldest: 0 }],
      ['reported', 'receipts', { oldest: 1_000 }],
      ['reported', 'logs', { oldest: 0, blocks: 64 }],
      ['reported', 'transactions', { oldest: 2_000 }],
    ])
  })

  it('looks for the rest by bisection, with few calls', async () => {
    const { notes, asked } = await examine((method, params) => {
      if (method === 'eth_capabilities') return missing
      if (method === 'eth_getTransactionByHash') return result(null)
      if (method === 'eth_getTransactionByBlockNumberAndIndex') return result({ hash })
      const block = Number(params.at(-1))
      const oldest = method === 'eth_getBalance' ? 19_873 : 8_000
      return block < oldest ? { error: { code: 4444, message: 'pruned history unavailable' } } : result('0x1')
    })
    const found = Object.fromEntries(
      (notes as [string, string, number][]).map(([kind, resource, block]) => [`${kind} ${resource}`, block]),
    )
    expect(found).toMatchObject({ 'served state': 19_873, 'lacked state': 19_872, 'lacked transactions': 4 })
    expect(found['served blocks']! - found['lacked blocks']!).toBeLessThan(100)
    expect(asked.length).toBeLessThanOrEqual(40)
  })

  it('asks an archive one call for each resource, and two for its index', async () => {
    const { notes, asked } = await examine((method) => (method === 'eth_capabilities' ? missing : result({ hash })))
    expect(asked.length).toBe(6)
    expect(notes).toEqual([
      ['reported', 'transactions', { oldest: 0 }],
      ['served', 'state', 1],
      ['served', 'blocks', 1],
      ['served', 'receipts', 1],
    ])
  })

  it('learns nothing from errors that say nothing of history', async () => {
    const { notes } = await examine(() => ({ error: { code: -32603, message: 'internal error' } }))
    expect(notes).toEqual([])
  })
})

it('Starknet has no such interface: its nodes are taken to have all', () => {
  expect(starknet.history).toBeUndefined()
})
