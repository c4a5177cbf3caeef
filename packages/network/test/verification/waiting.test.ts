import { createContext, rawJsonFromValue, type RpcHandler, type RpcResponse, systemClock } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import type { OpenEndpoint } from '../../src/endpoints/endpoints.ts'
import { type VerificationOptions, verifyEndpoints } from '../../src/verification/verification.ts'
import { testChain } from '../chain-node.ts'
import { call, rejectionOf } from '../support.ts'
import { tx } from './transaction.ts'

const chain = testChain(400)

/** As a node lists it before it is in a block, with a type that nobody knows. */
const labelled = { ...tx, blockHash: null, blockNumber: null, transactionIndex: null, type: '0x55' }

/** Answers for the chain, and to everything else what it is told. */
const node =
  (answer: unknown): RpcHandler =>
  async ({ method, params }) => {
    const [name] = params!.value() as [string]
    const block =
      method === 'eth_getBlockByNumber'
        ? chain.block(name === 'latest' ? 400 : Number(name))
        : method === 'eth_getBlockByHash' && blocks.find(({ hash }) => hash === name)
    return { result: rawJsonFromValue(method === 'eth_getProof' ? null : block || answer) }
  }
const blocks = Array.from({ length: 401 }, (_, i) => chain.block(i))

/** The answers of endpoints in turn, and whether the pool may give each at once. */
async function exclusionsOf(
  answers: readonly unknown[],
  method: string,
  params: readonly unknown[],
  options: Partial<VerificationOptions> = {},
): Promise<readonly boolean[]> {
  const endpoints = answers.map((answer, i): OpenEndpoint => {
    return {
      name: 'abc'[i]!,
      handler: node(answer),
      verify: 'proven',
      renew() {},
      watchStale: () => () => {},
      carriesSubscriptions: false,
      close: async () => {},
    }
  })
  const pool = verifyEndpoints(endpoints, { clock: systemClock, maxBytes: 1e7, onAnswer: () => {}, ...options })
  const request = call(method, params)
  const context = createContext({ timeoutMs: 30_000 })
  let spare: RpcResponse | undefined
  const counts: boolean[] = []
  try {
    for (const endpoint of pool.endpoints) {
      const response = await endpoint.handler(request, context)
      const waits = pool.isLastResort(response, spare, request, endpoint, context)
      if (waits) spare ??= response
      counts.push(!waits)
    }
  } finally {
    context.release()
  }
  return counts
}

it('a caller with little time costs no endpoint its vote for the next one', async () => {
  let isSlow = true
  const slow: RpcHandler = (request, context) => {
    const answer = node(null)(request, context)
    return isSlow ? new Promise((_, reject) => void context.onCancel(reject)) : answer
  }
  const endpoints = ['a', 'b', 'c'].map((name, i): OpenEndpoint => ({
    name,
    handler: i === 0 ? node(null) : slow,
    verify: 'proven',
    renew() {},
    watchStale: () => () => {},
    carriesSubscriptions: false,
    close: async () => {},
  }))
  const pool = verifyEndpoints(endpoints, { clock: systemClock, maxBytes: 1e7, onAnswer: () => {} })
  async function isProven(timeoutMs: number): Promise<boolean> {
    const context = createContext({ timeoutMs })
    const request = call('eth_getBlockByNumber', ['0x10', false])
    const response = await pool.endpoints[0]!.handler(request, context).finally(() => context.release())
    return pool.isProven(response)
  }
  expect(await isProven(200)).toBe(false)
  isSlow = false
  expect(await isProven(30_000)).toBe(true)
})

describe('under proven an answer that nothing proves', () => {
  it.each([
    ['null waits until most upstreams gave it', [null, null, null], [false, true, true]],
    ['an unknown type waits, and gives way to those that agree', [labelled, null, null], [false, false, true]],
    ['a genuine unknown type counts as soon as most gave it', [labelled, labelled], [false, true]],
  ])('%s', async (_what, answers, counts) => {
    expect(await exclusionsOf(answers, 'eth_getTransactionByHash', [tx.hash])).toEqual(counts)
  })

  it('counts once for a node, however many upstreams reach it', async () => {
    const nodeOf = (endpoint: string): string => (endpoint === 'b' ? 'a' : endpoint)
    const asked = ['eth_getTransactionByHash', [tx.hash]] as const
    expect(await exclusionsOf([labelled, labelled, null], ...asked)).toEqual([false, true, false])
    expect(await exclusionsOf([labelled, labelled, null], ...asked, { nodeOf })).toEqual([false, false, false])
    expect(await exclusionsOf([labelled, labelled, labelled], ...asked, { nodeOf })).toEqual([false, false, true])
  })

  it('does not wait where there is no other upstream, or the block is pending', async () => {
    const method = 'eth_getTransactionCount'
    expect(await exclusionsOf([null], 'eth_getTransactionByHash', [tx.hash])).toEqual([true])
    expect(await exclusionsOf(['0x5', '0x6'], method, [tx.from, 'pending'])).toEqual([true, true])
    expect(await exclusionsOf(['0x5', '0x6'], method, [tx.from, 'latest'])).toEqual([false, false])
  })
})

describe('logs', () => {
  const range = (from: number) => [{ fromBlock: `0x${from.toString(16)}`, toBlock: '0x190' }]

  it('are proven: made-up ones are refused', async () => {
    expect(await exclusionsOf([[], []], 'eth_getLogs', range(390))).toEqual([true, true])
    const place = { blockHash: chain.block(395).hash, blockNumber: '0x18b', transactionHash: tx.hash }
    const log = { address: tx.from, topics: [], data: '0x', ...place, transactionIndex: '0x0', logIndex: '0x0' }
    const why = await rejectionOf(exclusionsOf([[log], []], 'eth_getLogs', range(390)))
    expect(why).toMatchObject({ code: 'invalid_response' })
  })

  it('may be in no receipt on Polygon, where they wait', async () => {
    const place = { blockHash: chain.block(395).hash, blockNumber: '0x18b', transactionHash: tx.hash }
    const log = { address: tx.from, topics: [], data: '0x', ...place, transactionIndex: '0x0', logIndex: '0x0' }
    const polygon = { chainId: 137 }
    expect(await exclusionsOf([[log], [log]], 'eth_getLogs', range(390), polygon)).toEqual([false, true])
    expect(await exclusionsOf([[], []], 'eth_getLogs', range(1), polygon)).toEqual([false, true])
  })

  it('of more blocks than are proven at once are refused by name', async () => {
    expect(await exclusionsOf([[], []], 'eth_getLogs', range(145))).toEqual([true, true])
    const why = await rejectionOf(exclusionsOf([[], []], 'eth_getLogs', range(144)))
    const message = 'range 257 exceeds limit of 256 blocks whose logs are proven at once: ask for fewer'
    expect(why).toMatchObject({ code: 'denied', httpStatus: 200, rpc: { code: -32602, message } })
  })
})
