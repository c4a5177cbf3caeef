import type { MethodFacts, Schema } from '@wayleave/jsonrpc-core/schema'
import { expect, test } from 'vitest'
import * as evmTypes from '../../src/index.ts'
import { evmMethods } from '../../src/index.ts'

const facts: MethodFacts = evmMethods

test('sending and filters are the writes, and subscriptions are what needs a session', () => {
  const notRead = Object.entries(facts).flatMap(([method, { effect }]) => (effect === 'read' ? [] : [[method, effect]]))
  expect(Object.fromEntries(notRead)).toEqual({
    eth_sendRawTransaction: 'write',
    eth_sendRawTransactionSync: 'write',
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
    eth_getBlockTransactionCountByNumber: 0,
    eth_getUncleByBlockNumberAndIndex: 0,
    eth_getUncleCountByBlockNumber: 0,
    eth_getTransactionByBlockNumberAndIndex: 0,
    eth_getBlockReceipts: 0,
    debug_getRawHeader: 0,
    debug_getRawBlock: 0,
    debug_getRawReceipts: 0,
    debug_traceCall: 1,
    debug_traceBlockByNumber: 0,
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
    eth_call: ['0.to'],
    eth_estimateGas: ['0.to'],
    eth_createAccessList: ['0.to'],
    eth_fillTransaction: ['0.to'],
    eth_simulateV1: ['0.blockStateCalls.calls.to'],
    eth_getTransactionBySenderAndNonce: ['0'],
    eth_getLogs: ['0.address'],
    eth_newFilter: ['0.address'],
    eth_subscribe: ['1.address'],
    debug_traceCall: ['0.to'],
    txpool_contentFrom: ['0'],
  })
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
  expect(evmTypes).toMatchObject(evmMethods)
})
