import { describe, expect, it } from 'vitest'
import { createClient, createProvider } from '../src/index.ts'
import { failure, servePeer } from './helpers.ts'

const hash = `0x${'ab'.repeat(32)}`
const other = `0x${'cd'.repeat(32)}`
const address = `0x${'11'.repeat(20)}`
const stranger = `0x${'22'.repeat(20)}`
const topic = `0x${'77'.repeat(32)}`
const log = { address, topics: [topic], blockNumber: '0x10', blockHash: hash, transactionHash: hash, removed: false }

/** A call, an answer to it, and members of an answer to another question. */
const cases: readonly (readonly [method: string, params: unknown, good: unknown, bad: readonly object[]])[] = [
  ['eth_getTransactionByHash', [hash.toUpperCase().replace('X', 'x')], { hash }, [{ hash: other }, { hash: null }]],
  [
    'eth_getTransactionReceipt',
    [hash],
    { transactionHash: hash, logs: [log] },
    [{ transactionHash: other }, { logs: [{ ...log, transactionHash: other }] }],
  ],
  [
    'eth_getTransactionByBlockHashAndIndex',
    [hash, '0x1'],
    { blockHash: hash, transactionIndex: '0x1' },
    [{ blockHash: other }, { transactionIndex: '0x2' }],
  ],
  [
    'eth_getTransactionByBlockNumberAndIndex',
    ['0x10', '0x1'],
    { blockNumber: '0x10', transactionIndex: '0x1' },
    [{ blockNumber: '0x11' }, { transactionIndex: '0x0' }],
  ],
  [
    'eth_getTransactionBySenderAndNonce',
    [address, '0x5'],
    { from: address, nonce: '0x5' },
    [{ from: stranger }, { nonce: '0x6' }],
  ],
  ['eth_getBlockByHash', [hash, false], { hash }, [{ hash: other }]],
  ['eth_getHeaderByHash', [hash], { hash }, [{ hash: other }]],
  ['eth_getBlockByNumber', ['0x10', true], { number: '0x10' }, [{ number: '0x11' }, { number: null }]],
  ['eth_getHeaderByNumber', ['0x10'], { number: '0x10' }, [{ number: '0x11' }]],
  ['eth_getProof', [address, [], 'latest'], { address }, [{ address: stranger }]],
  [
    'starknet_getTransactionByHash',
    { transaction_hash: '0x0ab' },
    { transaction_hash: '0xab' },
    [{ transaction_hash: '0xac' }],
  ],
  ['starknet_getTransactionReceipt', ['0xab'], { transaction_hash: '0xab' }, [{ transaction_hash: '0xac' }]],
  ['starknet_getBlockWithTxs', [{ block_number: 7 }], { block_number: 7 }, [{ block_number: 8 }]],
  [
    'starknet_getBlockWithTxHashes',
    { block_id: { block_hash: '0xab' } },
    { block_hash: '0xab' },
    [{ block_hash: '0xac' }],
  ],
]

/** Lists: a call, an element that belongs to its answer, and members of one that does not. */
const lists: readonly (readonly [method: string, params: readonly unknown[], good: object, bad: readonly object[]])[] =
  [
    ['eth_getBlockReceipts', ['0x10'], log, [{ blockNumber: '0x11' }]],
    ['eth_getBlockReceipts', [16], log, [{ blockNumber: '0x11' }]],
    ['eth_getBlockReceipts', [hash], log, [{ blockHash: other }]],
    ['eth_getBlockReceipts', [{ blockHash: hash, requireCanonical: true }], log, [{ blockHash: other }]],
    ['eth_getLogs', [{ address }], log, [{ address: stranger }]],
    [
      'eth_getLogs',
      [{ address: [stranger.toUpperCase().replace('X', 'x'), address] }],
      log,
      [{ address: `0x${'33'.repeat(20)}` }],
    ],
    ['eth_getLogs', [{ blockHash: hash }], log, [{ blockHash: other }]],
    ['eth_getLogs', [{ fromBlock: '0x10', toBlock: '0x20' }], log, [{ blockNumber: '0xf' }, { blockNumber: '0x21' }]],
    ['eth_getLogs', [{ topics: [topic] }], log, [{ topics: [other] }, { topics: [] }]],
    ['eth_getLogs', [{ topics: [[other, topic]] }], log, [{ topics: [hash] }]],
  ]

/** Asks in each of the three ways in which a client can be asked. */
const ways = {
  unchecked: (url: string, method: string, params: unknown) => createClient({ url }).requestUnchecked(method, params),
  raw: async (url: string, method: string, params: unknown) =>
    JSON.parse(await createClient({ url }).requestRaw(method, params)) as unknown,
  provider: (url: string, method: string, params: unknown) =>
    createProvider(createClient({ url }).handler).request({ method, params: params as object }),
}

describe.each(Object.entries(ways))('%s: an answer', (_way, ask) => {
  it.each(cases)('to %s %j is refused if it is to another question', async (method, params, good, bad) => {
    const right = await servePeer(good)
    expect(await ask(right.url, method, params)).toEqual(good)
    expect(await ask((await servePeer(null)).url, method, params)).toBe(null)
    for (const members of bad) {
      const { url } = await servePeer({ ...(good as object), ...members })
      expect((await failure(ask(url, method, params))).message).toMatch(
        new RegExp(`${method}: the answer is to another question: asked for [\\w.]+ .*, got `),
      )
    }
  })

  it.each(lists)('to %s %j is refused if one element is to another question', async (method, params, good, bad) => {
    for (const answer of [[], [good, good]]) {
      expect(await ask((await servePeer(answer)).url, method, params)).toEqual(answer)
    }
    for (const members of bad) {
      const { url } = await servePeer([good, { ...good, ...members }])
      expect((await failure(ask(url, method, params))).message).toMatch(/: the answer is to another question: /)
    }
  })
})

it.each([
  ['eth_getBlockByNumber', ['latest', false], { number: '0x11', hash: other }],
  ['eth_getBlockByNumber', ['pending', false], { number: null, hash: null }],
  ['eth_getBlockReceipts', ['pending'], [log]],
  ['eth_getTransactionByBlockNumberAndIndex', ['latest', '0x1'], { blockNumber: '0x77', transactionIndex: '0x1' }],
  ['eth_getLogs', [{ fromBlock: 'latest', toBlock: 'pending', topics: [null, []] }], [{ ...log, blockNumber: null }]],
  ['starknet_getBlockWithTxs', ['latest'], { block_number: 8 }],
  ['eth_getFilterChanges', ['0x1'], [{ ...log, removed: true }]],
])('a place that no number names is not compared: %s %j', async (method, params, answer) => {
  const { url } = await servePeer(answer)
  expect(await createClient({ url }).requestUnchecked(method, params)).toEqual(answer)
})

it('tells the code, what was asked for, and what came', async () => {
  const { url } = await servePeer({ hash: other })
  expect(await failure(createClient({ url }).requestUnchecked('eth_getTransactionByHash', [hash]))).toMatchObject({
    code: 'invalid_response',
    message: `eth_getTransactionByHash: the answer is to another question: asked for hash "${hash}", got "${other}"`,
  })
})
