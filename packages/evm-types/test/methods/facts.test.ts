import type { MethodFacts, Schema } from '@wayleave/jsonrpc-core/schema'
import { expect, test } from 'vitest'
import * as evmTypes from '../../src/index.ts'
import { evmMethods, evmRules } from '../../src/index.ts'

const facts: MethodFacts = evmMethods

test('sending, signing and filters are the writes, and subscriptions are what needs a session', () => {
  const notRead = Object.entries(facts).flatMap(([method, { effect }]) => (effect === 'read' ? [] : [[method, effect]]))
  expect(Object.fromEntries(notRead)).toEqual({
    eth_sendRawTransaction: 'write',
    eth_sendRawTransactionSync: 'write',
    eth_sendTransaction: 'write',
    eth_signTransaction: 'write',
    eth_sign: 'write',
    eth_newFilter: 'write',
    eth_newBlockFilter: 'write',
    eth_newPendingTransactionFilter: 'write',
    eth_getFilterChanges: 'write',
    eth_getFilterLogs: 'write',
    eth_uninstallFilter: 'write',
    eth_subscribe: 'session',
    eth_unsubscribe: 'session',
  })
})

test('the block parameter stands where nodes read it', () => {
  const places = Object.entries(facts).flatMap(([method, { blockParam }]) =>
    blockParam === undefined ? [] : [[method, blockParam]],
  )
  expect(Object.fromEntries(places)).toEqual({
    eth_feeHistory: 1,
    eth_getStorageAt: 2,
    eth_getBalance: 1,
    eth_getCode: 1,
    eth_getTransactionCount: 1,
    eth_getProof: 2,
    eth_getStorageValues: 1,
    eth_call: 1,
    eth_estimateGas: 1,
    eth_createAccessList: 1,
    eth_simulateV1: 1,
    eth_getBlockByNumber: 0,
    eth_getHeaderByNumber: 0,
    eth_getBlockAccessList: 0,
    eth_getBlockTransactionCountByNumber: 0,
    eth_getUncleByBlockNumberAndIndex: 0,
    eth_getUncleCountByBlockNumber: 0,
    eth_getTransactionByBlockNumberAndIndex: 0,
    eth_getRawTransactionByBlockNumberAndIndex: 0,
    eth_getBlockReceipts: 0,
    debug_getRawHeader: 0,
    debug_getRawBlock: 0,
    debug_getRawReceipts: 0,
    debug_getRawBlockAccessList: 0,
    debug_executionWitness: 0,
    debug_storageRangeAt: 0,
    debug_accountRange: 0,
    debug_traceCall: 1,
    debug_traceBlockByNumber: 0,
    trace_block: 0,
    trace_call: 2,
    trace_callMany: 1,
    trace_rawTransaction: 2,
    trace_replayBlockTransactions: 0,
  })
})

test('the param at the block’s place is called block, and takes a tag', () => {
  for (const [method, spec] of Object.entries(evmMethods)) {
    const { blockParam, paramNames } = facts[method]!
    if (blockParam === undefined) continue
    expect(`${method} ${paramNames![blockParam]}`).toMatch(/ (block\??|newestBlock)$/)
    const params: unknown[] = Array.from({ length: blockParam }, () => null)
    const path = `[${blockParam}]`
    const schema: Pick<Schema<unknown>, 'check'> = spec.params
    expect(schema.check([...params, 'finalized'], '')?.path).not.toBe(path)
    if (blockParam === 0) expect(schema.check([...params, 'newest'], '')?.path).toBe(path)
  }
})

test('every method that names a contract or account says where', () => {
  const places = Object.entries(facts).flatMap(([method, { addressPaths }]) =>
    addressPaths === undefined ? [] : [[method, addressPaths]],
  )
  expect(Object.fromEntries(places)).toEqual({
    eth_getStorageAt: ['0'],
    eth_getBalance: ['0'],
    eth_getCode: ['0'],
    eth_getTransactionCount: ['0'],
    eth_getProof: ['0'],
    eth_getStorageValues: ['0.*'],
    eth_call: ['0.to', '0.authorizationList.address', '2.*'],
    eth_estimateGas: ['0.to', '0.authorizationList.address', '2.*'],
    eth_createAccessList: ['0.to', '0.authorizationList.address', '2.*'],
    eth_fillTransaction: ['0.from', '0.to', '0.authorizationList.address'],
    eth_simulateV1: [
      '0.blockStateCalls.calls.to',
      '0.blockStateCalls.calls.authorizationList.address',
      '0.blockStateCalls.stateOverrides.*',
    ],
    eth_getTransactionBySenderAndNonce: ['0'],
    eth_sendTransaction: ['0.from', '0.to', '0.authorizationList.address'],
    eth_signTransaction: ['0.from', '0.to', '0.authorizationList.address'],
    eth_sign: ['0'],
    eth_getLogs: ['0.address'],
    eth_newFilter: ['0.address'],
    eth_subscribe: ['1.address'],
    debug_storageRangeAt: ['2'],
    // Accounts by their hashes, and code inside of a block or a signed transaction: at no place that a path could name.
    debug_accountRange: [],
    debug_traceBlock: [],
    trace_rawTransaction: [],
    debug_traceCall: ['0.to', '0.authorizationList.address', '2.stateOverrides.*'],
    debug_traceCallMany: ['0.transactions.to', '0.transactions.authorizationList.address', '2.stateOverrides.*'],
    trace_filter: ['0.fromAddress', '0.toAddress'],
    trace_call: ['0.to', '0.authorizationList.address'],
    trace_callMany: ['0.to', '0.authorizationList.address'],
    txpool_contentFrom: ['0'],
  })
})

test('only what is read is kept, and what is kept by its block says which', () => {
  for (const [method, { cache, effect, blockParam, paramNames }] of Object.entries(facts)) {
    if (cache !== undefined) expect(effect, method).toBe('read')
    if (blockParam !== undefined) expect(cache, method).toBe(ofNode.has(method) ? undefined : 'block')
    if (cache === 'block') expect(blockParam, method).toBeTypeOf('number')
    if (cache === 'range') expect(paramNames![0], method).toMatch(/filter$/i)
    if (cache === 'result') expect(paramNames!.join(), method).toMatch(/hash|nonce/i)
  }
})

test('how long each answer stays true', () => {
  const by = (kept: string | undefined): string[] =>
    Object.entries(facts).flatMap(([method, { cache }]) => (cache === kept ? [method] : []))
  expect(by('fixed')).toEqual([
    'eth_chainId',
    'net_version',
    'eth_getBlockByHash',
    'eth_getHeaderByHash',
    'eth_getBlockTransactionCountByHash',
    'eth_getUncleByBlockHashAndIndex',
    'eth_getUncleCountByBlockHash',
    'eth_getTransactionByBlockHashAndIndex',
    'eth_getRawTransactionByBlockHashAndIndex',
    'web3_sha3',
    'debug_traceBlock',
    'debug_traceBlockByHash',
  ])
  expect(by('range')).toEqual(['eth_getLogs', 'trace_filter'])
  expect(by('result')).toEqual([
    'eth_getTransactionByHash',
    'eth_getTransactionBySenderAndNonce',
    'eth_getTransactionReceipt',
    'trace_transaction',
    'trace_get',
  ])
  expect(by('head')).toEqual([
    'eth_blockNumber',
    'eth_config',
    'eth_gasPrice',
    'eth_maxPriorityFeePerGas',
    'eth_baseFee',
    'eth_blobBaseFee',
    'eth_getRawTransactionByHash',
    'debug_getRawTransaction',
    'debug_traceTransaction',
    'trace_replayTransaction',
  ])
  // Reads of a node's own state, of its pool, or of a rollup whose head nobody here knows.
  expect(by(undefined).filter((method) => facts[method]!.effect === 'read')).toEqual([
    'eth_syncing',
    'eth_fillTransaction',
    'eth_pendingTransactions',
    'web3_clientVersion',
    'net_listening',
    'net_peerCount',
    'eth_protocolVersion',
    'eth_accounts',
    'eth_coinbase',
    'eth_mining',
    'eth_hashrate',
    'eth_capabilities',
    'debug_getBadBlocks',
    'debug_storageRangeAt',
    'debug_accountRange',
    'debug_traceCallMany',
    'trace_rawTransaction',
    'txpool_status',
    'txpool_content',
    'txpool_contentFrom',
    'rollup_getInfo',
    'rollup_gasPrices',
    'optimism_syncStatus',
    'optimism_outputAtBlock',
    'optimism_safeHeadAtL1Block',
    'optimism_rollupConfig',
    'optimism_version',
  ])
})

test('an answer that is kept by what it names has members that name it', () => {
  const hash = `0x${'ab'.repeat(32)}`
  const trace = { type: 'call', action: {}, traceAddress: [], blockHash: hash, blockNumber: 7 }
  expect(evmMethods.trace_transaction.result.check([trace], '')).toBeUndefined()
  expect(evmMethods.trace_get.result.check({ ...trace, blockHash: '0x1' }, '')?.path).toBe('.blockHash')
})

test('every method names its params, the optional ones last, as many as it takes', () => {
  for (const [method, spec] of Object.entries(evmMethods)) {
    const names = facts[method]!.paramNames
    expect(names, method).toBeDefined()
    expect(names!.join(), method).toMatch(/^(\w+(,\w+)*(,\w+\?)*|(\w+\?)?(,\w+\?)*)$/)
    if (method === 'eth_subscribe') continue
    const schema: Pick<Schema<unknown>, 'check'> = spec.params
    const tooMany = schema.check(Array(names!.length + 1).fill(null), '')
    expect(`${method}: ${tooMany?.expected}`).toBe(`${method}: at most ${names!.length} elements`)
    const required = names!.filter((name) => !name.endsWith('?')).length
    expect(schema.check([], '')?.path, method).toBe(required === 0 ? undefined : '[0]')
  }
})

test('a subscription names the method that ends it, which is in the table', () => {
  expect(facts['eth_subscribe']?.subscription).toEqual({ unsubscribe: 'eth_unsubscribe', event: 'eth_subscription' })
  expect(Object.values(facts).flatMap((spec) => spec.subscription?.unsubscribe ?? [])).toEqual(['eth_unsubscribe'])
  expect(facts).toHaveProperty('eth_unsubscribe')
})

test('every method is exported by its own name', () => {
  expect(evmTypes).toMatchObject(evmRules)
})
/** Answers about a block that depend on the node: what its own index holds, its own limits, or which params it knows. */
const ofNode = new Set(['debug_storageRangeAt', 'debug_accountRange', 'trace_rawTransaction'])
