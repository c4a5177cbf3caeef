import { rawJsonFromText } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { networkKinds } from '../../src/kinds/index.ts'
import { starknet } from '../../src/kinds/starknet.ts'
import { withHints } from '../../src/hints/call-hints.ts'

const a = `0x${'a'.repeat(40)}`
const b = `0x${'b'.repeat(40)}`

function addressesOf(method: string, params: unknown) {
  const text = typeof params === 'string' ? params : JSON.stringify(params)
  const raw = params === undefined ? undefined : rawJsonFromText(text)
  return networkKinds.evm.addressesOf({ method, params: raw, notification: false })
}

describe('the addresses of a call', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['eth_call', [{ to: a }, 'latest'], [a]],
    ['eth_call', [{ to: a, authorizationList: [{ address: b }] }], [a, b]],
    ['eth_call', [{ to: a }, 'latest', { [b]: { balance: '0x1' } }], [a, b]],
    ['eth_call', [{ to: a }, 'latest', { [b]: { nonce: '0x1', balance: '0x1' } }, { time: '0x1' }], [a, b]],
    ['debug_traceCall', [{ to: a }, 'latest', { tracer: 'prestateTracer', stateOverrides: { [b]: {} } }], [a, b]],
    ['eth_call', ` [ { "data" : "0x" , "to" : "${a}" } ] `, [a]],
    ['eth_call', `[{"t\\u006f":"${a}"}]`, [a]],
    ['eth_estimateGas', [{ from: b, to: a }], [a]],
    ['eth_createAccessList', [{ to: a }], [a]],
    ['eth_getLogs', [{ address: a }], [a]],
    ['eth_getLogs', [{ address: [a, b], topics: [b] }], [a, b]],
    ['eth_newFilter', [{ address: [a] }], [a]],
    ['eth_subscribe', ['logs', { address: [a, b] }], [a, b]],
    ['eth_subscribe', ['pendingLogs', { address: [a, b], fromBlock: '0x1' }], [a, b]],
    ['eth_getBalance', [a, 'latest'], [a]],
    ['eth_getCode', [a], [a]],
    ['eth_getStorageAt', [a, '0x0', 'latest'], [a]],
    ['eth_getTransactionCount', [a], [a]],
    ['eth_getProof', [a, [], 'latest'], [a]],
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: [{ to: a }], stateOverrides: { [b]: {} } }] }], [a, b]],
    [
      'trace_callMany',
      [
        [
          [{ to: a }, ['trace']],
          [{ to: b }, ['trace']],
        ],
        'latest',
      ],
      [a, b],
    ],
    ['trace_filter', [{ fromAddress: [a], toBlock: '0x1' }], [a]],
  ])('%s %j are found wherever its table has them', (method, params, addresses) => {
    expect(addressesOf(method, params)?.toSorted()).toEqual(addresses.toSorted())
  })

  it.each<[string, unknown]>([
    ['eth_chainId', []],
    ['eth_getBlockByNumber', ['latest', false]],
    ['eth_sendRawTransaction', ['0x00']],
    ['eth_subscribe', ['newHeads']],
    ['eth_subscribe', ['newPendingTransactions']],
    ['eth_subscribe', ['newPendingTransactions', false]],
    ['eth_newPendingTransactionFilter', undefined],
    ['eth_newPendingTransactionFilter', [false]],
    ['eth_unsubscribe', ['0x1']],
    ['debug_traceTransaction', [b]],
    ['debug_traceTransaction', [b, { tracer: 'callTracer', tracerConfig: { withLog: true } }]],
    ['debug_traceBlockByNumber', ['latest', null]],
  ])('%s %j are of no concern, since it has no place for one', (method, params) => {
    expect(addressesOf(method, params)).toBeUndefined()
  })

  it.each<[string, unknown]>([
    ['eth_call', undefined],
    ['eth_call', []],
    ['eth_call', [{}]],
    ['eth_call', [{ to: null }]],
    ['eth_call', [{ data: '0x00', authorizationList: [{ address: a }] }]],
    ['eth_call', [{ data: '0x00' }, 'latest', { [a]: {} }]],
    ['eth_call', [a]],
    ['eth_call', { to: a }],
    ['eth_getLogs', [{}]],
    ['eth_getLogs', [{ address: [] }]],
    ['eth_getLogs', [{ address: null }]],
    ['eth_newFilter', [{ topics: [] }]],
    ['eth_subscribe', ['transactionReceipts']],
    ['eth_subscribe', ['newPendingTransactions', true]],
    ['eth_subscribe', ['newFlashblocks', { address: a }]],
    ['eth_subscribe', ['newFlashblocks', { address: a, fromBlock: '0x1' }]],
    ['eth_subscribe', ['newFlashblockTransactions', { address: a }]],
    ['eth_subscribe', ['transactionReceipts', { address: a }]],
    ['eth_subscribe', ['newThings', { address: a }]],
    ['eth_subscribe', ['pendingLogs', { address: a }, { address: b }]],
    ['eth_newPendingTransactionFilter', [true]],
    ['eth_subscribe', ['logs']],
    ['eth_subscribe', ['logs', {}]],
    ['eth_subscribe', { 0: 'logs' }],
    ['eth_getBalance', [null]],
    [
      'trace_callMany',
      [
        [
          [{ to: a }, []],
          [{ data: '0x' }, []],
        ],
      ],
    ],
    ['trace_filter', [{ toBlock: '0x1' }]],
    // Code and storage that a caller brings run as those of a listed contract.
    ['eth_call', [{ to: a }, 'latest', { [a]: { code: '0x00' } }]],
    ['eth_call', [{ to: a }, 'latest', { [a]: { balance: '0x1', Code: '0x00' } }]],
    ['eth_call', [{ to: a }, null, { [a]: { state: {} } }]],
    ['eth_estimateGas', [{ to: a }, 'latest', { [a]: { stateDiff: {} } }, {}]],
    ['eth_createAccessList', [{ to: a }, 'latest', { [a]: { movePrecompileToAddress: b } }]],
    ['eth_simulateV1', [{ blockStateCalls: [{}, { stateOverrides: { [a]: { code: '0x' } }, calls: [{ to: a }] }] }]],
    ['debug_traceCall', [{ to: a }, 'latest', { stateOverrides: { [a]: { code: '0x' } } }]],
    ['debug_traceCallMany', [[{ transactions: [{ to: a }] }], {}, { stateOverrides: { [a]: { code: '0x' } } }]],
    // Params beyond those of the table: some nodes take overrides there.
    ['trace_call', [{ to: a }, ['trace'], 'latest', { [a]: { code: '0x' } }]],
    ['trace_callMany', [[[{ to: a }, ['trace']]], 'latest', { stateOverrides: { [a]: { code: '0x' } } }]],
    ['eth_createAccessList', [{ to: a }, 'latest', {}, { [a]: { code: '0x' } }]],
    // A tracer that is a program reads any account, and so does one that holds others.
    ['debug_traceCall', [{ to: a }, 'latest', { tracer: '{result: (_, db) => db.getCode(0)}' }]],
    ['debug_traceCall', [{ to: a }, 'latest', { Tracer: 'callTracer' }]],
    ['debug_traceCallMany', [[{ transactions: [{ to: a }] }], {}, { tracer: 'muxTracer', tracerConfig: {} }]],
    ['debug_traceTransaction', [b, { tracer: '{}' }]],
    ['debug_traceBlockByNumber', ['latest', { tracer: 'muxTracer' }]],
    ['debug_traceBlockByHash', [b, { tracer: { toString: 'callTracer' } }]],
    // Transactions and blocks that a caller made, and accounts by their hashes.
    ['trace_rawTransaction', ['0x00', ['trace']]],
    ['debug_traceBlock', ['0x00']],
    ['debug_accountRange', ['latest', '0x', 1, false, false]],
    // Methods that no table has.
    ['eth_callMany', [{ to: a }]],
    ['ETH_CALL', [{ to: a }]],
    ['constructor', []],
  ])('%s %j are left open', (method, params) => {
    expect(addressesOf(method, params)).toEqual([])
  })

  it.each<[string, string]>([
    ['eth_call', `[{"to":"${a}","to":"${b}"}]`],
    ['eth_call', `[{"to":"${a}","t\\u006f":"${b}"}]`],
    ['eth_call', `[{"to":"${a}","To":"${b}"}]`],
    ['eth_call', `[{"TO":"${b}","to":"${a}"}]`],
    ['eth_call', `[{"To":"${a}"}]`],
    ['eth_getLogs', `[{"address":"${a}","addre\u017fs":"${b}"}]`],
    ['eth_getLogs', `[{"address":"${a}","address":["${b}"]}]`],
    ['eth_getLogs', `[{"address":["${a}",null]}]`],
    ['eth_getLogs', `[{"address":["${a}",{"address":"${b}"}]}]`],
    ['eth_getLogs', `[{"address":["${a}",1]}]`],
    ['eth_simulateV1', `[{"bloc\u212aStateCalls":[],"blockStateCalls":[{"calls":[{"to":"${a}"}]}]}]`],
    ['eth_getBalance', '[1]'],
    ['eth_getLogs', `[{"address":${'['.repeat(900)}"${a}"${']'.repeat(900)}}]`],
  ])('%s %s are ambiguous to nodes, and count as open', (method, text) => {
    expect(addressesOf(method, text)).toEqual([])
  })
})

describe('the addresses of a call to Starknet', () => {
  const of = (method: string, params: unknown, version?: string) => {
    const request = { method, params: rawJsonFromText(JSON.stringify(params)), notification: false }
    return starknet.addressesOf(version === undefined ? request : withHints(request, { apiVersion: version }))
  }

  it('are found by place and by name, in every version', () => {
    for (const version of [undefined, '0.5.1', '0.8', '0.10']) {
      expect(of('starknet_getStorageAt', ['0x1', '0x2', 'latest'], version)).toEqual(['0x1'])
      expect(of('starknet_getNonce', { block_id: 'latest', contract_address: '0x1' }, version)).toEqual(['0x1'])
      expect(of('starknet_call', { request: { contract_address: '0x1' }, block_id: 'latest' }, version)).toEqual([
        '0x1',
      ])
      expect(of('starknet_getEvents', [{ address: '0x1', chunk_size: 1 }], version)).toEqual(['0x1'])
      expect(of('starknet_blockNumber', [], version)).toBeUndefined()
    }
    expect(of('starknet_subscribeEvents', ['0x1'], '0.8')).toEqual(['0x1'])
  })

  it('are open where a filter has none, a name differs in case, or the version has no such method', () => {
    expect(of('starknet_getEvents', [{ chunk_size: 1 }])).toEqual([])
    expect(of('starknet_getNonce', { block_id: 'latest', Contract_address: '0x1' })).toEqual([])
    expect(of('starknet_subscribeEvents', {}, '0.8')).toEqual([])
    expect(of('starknet_subscribeEvents', ['0x1'], '0.5.1')).toEqual([])
  })
})
