import type { Schema } from '@wayleave/jsonrpc-core/schema'
import { describe, expect, test } from 'vitest'
import { evmMethods, type EvmSchema } from '../../src/index.ts'

const address = '0x7dcd17433742f4c0ca53122ab541d0ba67fc27df'
const hash = `0x${'ab'.repeat(32)}`

function issueOf(
  method: keyof EvmSchema,
  params: unknown,
): { path: string; expected: string; received: string } | undefined {
  const schema: Pick<Schema<unknown>, 'check'> = evmMethods[method].params
  return schema.check(params, 'params')
}

describe('params that are refused, with the path to what is wrong', () => {
  test.each<[keyof EvmSchema, unknown, string]>([
    ['eth_chainId', ['latest'], 'params'],
    ['eth_chainId', {}, 'params'],
    ['eth_getStorageAt', [address], 'params[1]'],
    ['eth_getStorageAt', [address.slice(0, -1), '0x0'], 'params[0]'],
    ['eth_getStorageAt', [address.replace('0x', '0X'), '0x0'], 'params[0]'],
    ['eth_getStorageAt', [address, '0x', 'latest'], 'params[1]'],
    ['eth_getStorageAt', [address, '0', 'latest'], 'params[1]'],
    ['eth_getStorageAt', [address, '0x0', 'newest'], 'params[2]'],
    ['eth_getStorageAt', [address, '0x0', '0x01'], 'params[2]'],
    ['eth_getStorageAt', [address, '0x0', 1], 'params[2]'],
    ['eth_getStorageAt', [address, '0x0', null], 'params[2]'],
    ['eth_getStorageAt', [address, '0x0', { blockNumber: '0x1', blockHash: hash }], 'params[2].blockHash'],
    [
      'eth_getStorageAt',
      [address, '0x0', { blockNumber: '0x1', requireCanonical: true }],
      'params[2].requireCanonical',
    ],
    ['eth_getStorageAt', [address, '0x0', { blockHash: '0x1' }], 'params[2].blockHash'],
    ['eth_getStorageAt', [address, '0x0', {}], 'params[2].blockHash'],
    ['eth_getStorageAt', [address, '0x0', 'latest', 1], 'params'],
    ['eth_getUncleByBlockNumberAndIndex', [hash, '0x0'], 'params[0]'],
    ['eth_getUncleByBlockNumberAndIndex', ['latest', 0], 'params[1]'],
    ['eth_getUncleByBlockNumberAndIndex', ['latest', `0x1${'0'.repeat(16)}`], 'params[1]'],
    ['eth_getTransactionByBlockHashAndIndex', ['latest', '0x0'], 'params[0]'],
    ['eth_getTransactionByHash', [hash.slice(0, -2)], 'params[0]'],
    ['eth_getTransactionByHash', [], 'params[0]'],
    ['eth_getBlockReceipts', [-1], 'params[0]'],
    ['eth_getBlockReceipts', [1.5], 'params[0]'],
    ['eth_getBlockReceipts', ['007'], 'params[0]'],
    ['eth_getBlockReceipts', ['1e3'], 'params[0]'],
    ['eth_getBlockReceipts', [], 'params[0]'],
    ['eth_estimateGas', [{ to: address, gasprice: '0x1' }], 'params[0].gasprice'],
    ['eth_estimateGas', [{ to: address, value: 1 }], 'params[0].value'],
    ['eth_estimateGas', [{ to: address, data: '0x123' }], 'params[0].data'],
    [
      'eth_estimateGas',
      [{ accessList: [{ address, storageKeys: [hash, '0x1'] }] }],
      'params[0].accessList[0].storageKeys[1]',
    ],
    ['eth_estimateGas', [[]], 'params[0]'],
    ['eth_getBlockByNumber', ['latest'], 'params[1]'],
    ['eth_getBlockByHash', [hash, 'true'], 'params[1]'],
    ['eth_getLogs', [{ topics: [null, [hash, '0x1']] }], 'params[0].topics[1][1]'],
    ['eth_getLogs', [{ topics: [hash, hash, hash, hash, hash] }], 'params[0].topics'],
    ['eth_getLogs', [{ address: [address, '0x1'] }], 'params[0].address[1]'],
    ['eth_getLogs', [{ blockHash: hash, toBlock: 'latest' }], 'params[0].toBlock'],
    ['eth_getLogs', [{ fromBlock: hash }], 'params[0].fromBlock'],
    ['eth_getLogs', [{ adress: address }], 'params[0].adress'],
    ['eth_sendRawTransaction', ['0x0'], 'params[0]'],
    ['eth_subscribe', ['newHead'], 'params[0]'],
    ['eth_subscribe', [], 'params[0]'],
    ['eth_subscribe', 'newHeads', 'params'],
    ['eth_subscribe', ['logs'], 'params[1]'],
    ['eth_subscribe', ['logs', { toBlock: '0x1' }], 'params[1].toBlock'],
    ['eth_subscribe', ['logs', { fromBlock: 1 }], 'params[1].fromBlock'],
    ['eth_subscribe', ['newHeads', { fromBlock: '0x1', fromHash: hash }], 'params[1].fromBlock'],
    ['eth_subscribe', ['newHeads', { address }], 'params[1].address'],
    ['eth_subscribe', ['transactionReceipts', { transactionHashes: ['0x1'] }], 'params[1].transactionHashes[0]'],
    ['eth_subscribe', ['syncing', {}], 'params'],
    ['eth_subscribe', ['newPendingTransactions', 'true'], 'params[1]'],
    ['eth_subscribe', ['toString'], 'params[0]'],
    ['eth_unsubscribe', [''], 'params[0]'],
    ['eth_getBlockReceipts', [2 ** 53], 'params[0]'],
    ['eth_getBlockReceipts', ['18446744073709551616'], 'params[0]'],
    ['eth_getBlockReceipts', [{ blockHash: hash, blockNumber: '0x1' }], 'params[0].blockHash'],
    ['eth_getBlockByNumber', [1, true], 'params[0]'],
    ['eth_getBlockTransactionCountByNumber', ['7'], 'params[0]'],
    ['eth_feeHistory', [5, 'latest', []], 'params[0]'],
    ['eth_feeHistory', ['0x5', hash, []], 'params[1]'],
    ['eth_feeHistory', ['0x5', 'latest', [50, 10]], 'params[2]'],
    ['eth_feeHistory', ['0x5', 'latest', [-1]], 'params[2]'],
    ['eth_feeHistory', ['0x5', 'latest', [101]], 'params[2]'],
    ['eth_feeHistory', ['0x5', 'latest', ['25']], 'params[2]'],
    ['eth_getProof', [address, '0x0'], 'params[1]'],
    ['eth_getProof', [address, ['0x']], 'params[1][0]'],
    ['eth_getStorageValues', [{ [address.slice(2)]: [hash] }], 'params[0]'],
    ['eth_getStorageValues', [{ [address]: ['0x0'] }], `params[0]["${address}"][0]`],
    ['eth_sendRawTransactionSync', ['0x02', -1], 'params[1]'],
    ['eth_sendRawTransactionSync', ['0x02', '0x1'], 'params[1]'],
    ['web3_sha3', ['hello'], 'params[0]'],
    ['eth_getFilterChanges', [1], 'params[0]'],
    ['eth_newFilter', [{ blockHash: hash, fromBlock: 'latest' }], 'params[0].fromBlock'],
    ['eth_call', [{}, 'latest', { [address]: { balance: 1 } }], `params[2]["${address}"].balance`],
    ['eth_call', [{}, 'latest', { [address]: { storage: {} } }], `params[2]["${address}"].storage`],
    ['eth_call', [{}, 'latest', { '0x12': {} }], 'params[2]'],
    ['eth_call', [{}, 'latest', { [address]: { state: {}, stateDiff: {} } }], `params[2]["${address}"]`],
    ['eth_call', [{}, 'latest', { [address]: { stateDiff: { '0x0': hash } } }], `params[2]["${address}"].stateDiff`],
    [
      'eth_estimateGas',
      [{}, 'latest', { [address]: { stateDiff: { [hash]: '0x0' } } }],
      `params[2]["${address}"].stateDiff["${hash}"]`,
    ],
    ['eth_estimateGas', [{}, 'latest', []], 'params[2]'],
    ['eth_call', [{}, 'latest', {}, { coinbase: address }], 'params[3].coinbase'],
    ['eth_call', [{}, 'latest', {}, { time: 1 }], 'params[3].time'],
    ['eth_call', [{}, 'latest', {}, { prevRandao: '0x1' }], 'params[3].prevRandao'],
    ['eth_call', [{}, 'latest', {}, {}, {}], 'params'],
    ['eth_createAccessList', [{}, 'latest', {}, {}], 'params'],
    [
      'eth_simulateV1',
      [{ blockStateCalls: [{ calls: [{ too: address }] }] }],
      'params[0].blockStateCalls[0].calls[0].too',
    ],
    ['eth_simulateV1', [{}], 'params[0].blockStateCalls'],
    ['debug_traceTransaction', [hash, 'callTracer'], 'params[1]'],
    [
      'debug_traceCallMany',
      [[{ transactions: [{ too: address }] }], { blockNumber: 'latest' }],
      'params[0][0].transactions[0].too',
    ],
    ['debug_traceCallMany', [[{ transactions: [] }]], 'params[1]'],
    ['debug_traceCallMany', [[], { blockNumber: 1 }], 'params[1].blockNumber'],
    ['debug_traceCallMany', [[], { blockNumber: '0x1', transactionIndex: -2 }], 'params[1].transactionIndex'],
    ['debug_traceBlock', ['0x0'], 'params[0]'],
    ['debug_storageRangeAt', [hash, '0x0', address, '0x', 10], 'params[1]'],
    ['debug_accountRange', ['latest', '0x', 10, true], 'params[4]'],
    ['eth_getHeaderByNumber', [hash], 'params[0]'],
    ['eth_sendTransaction', [{ from: address, gasprice: '0x1' }], 'params[0].gasprice'],
    ['eth_sign', [address, 'hello'], 'params[1]'],
    ['trace_call', [{}, ['callTracer']], 'params[1][0]'],
    ['trace_callMany', [[[{ too: address }, ['trace']]]], 'params[0][0][0].too'],
    ['trace_get', [hash, [0]], 'params[1][0]'],
    ['trace_filter', [{ fromAddress: address }], 'params[0].fromAddress'],
    ['trace_filter', [{ count: '0x1' }], 'params[0].count'],
    ['trace_filter', [{ address: [address] }], 'params[0].address'],
    ['trace_replayTransaction', [hash], 'params[1]'],
    ['optimism_outputAtBlock', [1], 'params[0]'],
  ])('%s %j at %s', (method, params, path) => {
    expect(issueOf(method, params)?.path).toBe(path)
  })
})

describe('params that pass', () => {
  test.each<[keyof EvmSchema, unknown]>([
    ['eth_getStorageAt', [address, '0x0']],
    ['eth_getStorageAt', [address.toUpperCase().replace('0X', '0x'), `0x${'00'.repeat(31)}1`, 'safe']],
    ['eth_getStorageAt', [address, '0x0', '0x7fffffffffffffff']],
    ['eth_getStorageAt', [address, '0x0', hash]],
    ['eth_getStorageAt', [address, '0x0', { blockNumber: '0x0' }]],
    ['eth_getStorageAt', [address, '0x0', { blockHash: hash, requireCanonical: true }]],
    ['eth_getBlockReceipts', [0]],
    ['eth_getBlockReceipts', ['20000000']],
    ['eth_getBlockReceipts', ['pending']],
    ['eth_getBlockReceipts', [{ blockHash: hash }]],
    ['eth_estimateGas', [{}]],
    ['eth_estimateGas', [{ to: null, data: '0x6000' }, 'pending']],
    ['eth_getLogs', [{ address, topics: [null, [], hash] }]],
    ['eth_getLogs', [{ blockHash: hash }]],
    ['eth_subscribe', ['newHeads']],
    ['eth_subscribe', ['newHeads', { fromBlock: '0x1' }]],
    ['eth_subscribe', ['newHeads', { fromHash: hash }]],
    ['eth_subscribe', ['logs', {}]],
    ['eth_subscribe', ['logs', { address, fromHash: hash }]],
    ['eth_subscribe', ['transactionReceipts']],
    ['eth_subscribe', ['transactionReceipts', { transactionHashes: [hash] }]],
    ['eth_subscribe', ['syncing']],
    ['eth_subscribe', ['newPendingTransactions', true]],
    ['eth_unsubscribe', ['0xcd0c3e8af590364c09d0fa6a1210faf5']],
    ['eth_getBlockReceipts', ['18446744073709551615']],
    ['eth_getBlockReceipts', [2 ** 53 - 1]],
    ['eth_getBlockReceipts', [hash]],
    ['eth_feeHistory', ['0x400', 'pending']],
    ['eth_feeHistory', ['0x1', '0x1b', [0, 9.5, 9.5, 100]]],
    ['eth_getProof', [address, ['0x0', hash], { blockHash: hash }]],
    ['eth_sendRawTransactionSync', ['0x02', 5000]],
    ['eth_newPendingTransactionFilter', []],
    ['eth_newPendingTransactionFilter', [true]],
    [
      'eth_call',
      [
        { to: address },
        'latest',
        {
          [address]: { code: '0x', balance: '0x1', nonce: '0x1', stateDiff: { [hash]: hash } },
          [address.slice(0, -2) + '00']: { movePrecompileToAddress: address },
        },
        {
          number: '0x1',
          time: '0x2',
          gasLimit: '0x3',
          feeRecipient: address,
          prevRandao: hash,
          baseFeePerGas: '0x0',
          blobBaseFee: '0x1',
          difficulty: '0x0',
        },
      ],
    ],
    ['eth_estimateGas', [{}, { blockNumber: '0x1' }, {}]],
    [
      'eth_simulateV1',
      [
        {
          blockStateCalls: [
            { blockOverrides: { withdrawals: [], beaconRoot: hash }, stateOverrides: {}, calls: [{ to: address }] },
          ],
          validation: true,
        },
        'latest',
      ],
    ],
    [
      'debug_traceCallMany',
      [
        [{ transactions: [{ to: address }], blockOverride: { blockNumber: '0x1' } }, { transactions: [] }],
        { blockNumber: hash, transactionIndex: -1 },
        { tracer: 'callTracer' },
      ],
    ],
    ['debug_storageRangeAt', [hash, 0, address, '0x', 10]],
    ['debug_accountRange', ['latest', '0x', 10, true, true]],
    ['debug_executionWitness', ['0x36']],
    ['trace_block', ['latest']],
    ['trace_call', [{ to: address }, ['trace', 'vmTrace', 'stateDiff'], hash]],
    [
      'trace_callMany',
      [
        [
          [{ to: address }, ['trace']],
          [{}, []],
        ],
        'latest',
      ],
    ],
    [
      'trace_filter',
      [{ fromBlock: '0x1', toBlock: 'latest', toAddress: [address], mode: 'union', after: 0, count: 1 }],
    ],
    ['trace_get', [hash, ['0x0', '0x2']]],
    ['trace_rawTransaction', ['0x02', ['trace']]],
    ['trace_replayBlockTransactions', ['0x1', ['stateDiff']]],
    ['eth_sendTransaction', [{ from: address, to: address, value: '0x1' }]],
    ['eth_sendTransaction', [{ from: address, blobs: ['0x00'], commitments: ['0x00'], proofs: ['0x00'] }]],
    ['eth_getLogs', [{ blockHash: undefined, fromBlock: '0x1' }]],
    ['eth_getBalance', [address, { blockNumber: undefined, blockHash: hash }]],
    ['eth_getFilterChanges', ['0x0a3f']],
    ['eth_sign', [address, '0x']],
    ['optimism_outputAtBlock', ['0x1']],
    ['debug_traceTransaction', [hash, { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }]],
  ])('%s %j', (method, params) => {
    expect(issueOf(method, params)).toBeUndefined()
  })
})

test('a refusal says what was expected and what came', () => {
  expect(issueOf('eth_getStorageAt', ['0x7dcd', '0x0'])).toEqual({
    path: 'params[0]',
    expected: 'a 20-byte address (0x and 40 hex digits)',
    received: '"0x7dcd"',
  })
})

test('a raw transaction of ten megabytes is checked whole', () => {
  const blob = `0x${'ab'.repeat(10_000_000)}`
  expect(issueOf('eth_sendRawTransaction', [blob])).toBeUndefined()
  expect(issueOf('eth_sendRawTransaction', [`${blob}0g`])?.path).toBe('params[0]')
})

test('a block given by number and by hash is told to choose', () => {
  expect(issueOf('eth_getBalance', [address, { blockNumber: '0x1', blockHash: hash }])?.expected).toBe(
    'either blockHash or blockNumber: choose one',
  )
})

test('a block number that lost its digits is told to come as a string', () => {
  expect(issueOf('eth_getBlockReceipts', [JSON.parse('9007199254740993')])?.expected).toMatch(/write it as a string/)
})
