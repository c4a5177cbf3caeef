import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { expect, test } from 'vitest'
import * as evmTypes from '../../src/index.ts'
import { evmMethods } from '../../src/index.ts'

const facts: MethodFacts = evmMethods

test('sending a transaction is the one write, and subscriptions are the ones that need a session', () => {
  const notRead = Object.entries(facts).flatMap(([method, { effect }]) => (effect === 'read' ? [] : [[method, effect]]))
  expect(Object.fromEntries(notRead)).toEqual({
    eth_sendRawTransaction: 'write',
    eth_subscribe: 'session',
    eth_unsubscribe: 'session',
  })
})

test('the block parameter stands where nodes read it', () => {
  const places = Object.entries(facts).flatMap(([method, { blockParam }]) =>
    blockParam === undefined ? [] : [[method, blockParam]],
  )
  expect(Object.fromEntries(places)).toEqual({
    eth_getStorageAt: 2,
    eth_getBalance: 1,
    eth_getCode: 1,
    eth_getTransactionCount: 1,
    eth_call: 1,
    eth_estimateGas: 1,
    eth_getBlockByNumber: 0,
    eth_getUncleByBlockNumberAndIndex: 0,
    eth_getBlockReceipts: 0,
  })
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
    eth_call: ['0.to'],
    eth_estimateGas: ['0.to'],
    eth_getLogs: ['0.address'],
    eth_subscribe: ['1.address'],
  })
})

test('a subscription names the method that ends it, which is in the table', () => {
  expect(facts['eth_subscribe']?.subscription).toEqual({ unsubscribe: 'eth_unsubscribe', event: 'eth_subscription' })
  expect(Object.values(facts).flatMap((spec) => spec.subscription?.unsubscribe ?? [])).toEqual(['eth_unsubscribe'])
  expect(facts).toHaveProperty('eth_unsubscribe')
})

test('every method is exported by its own name', () => {
  expect(evmTypes).toMatchObject(evmMethods)
})
