import { evmMethods } from '@wayleave/evm-types'
import { expect, it } from 'vitest'
import { evm } from '../../src/kinds/evm.ts'
import { starknet } from '../../src/kinds/starknet.ts'
import { methodClassOf } from '../../src/kinds/method-class.ts'

it.each([
  ['eth_blockNumber', 'read'],
  ['eth_call', 'read'],
  ['eth_getBlockByNumber', 'read'],
  ['eth_getLogs', 'logs'],
  ['eth_getProof', 'heavy'],
  ['eth_simulateV1', 'heavy'],
  ['debug_traceTransaction', 'heavy'],
  ['debug_getRawReceipts', 'heavy'],
  ['trace_filter', 'heavy'],
  ['eth_sendRawTransaction', 'write'],
  ['eth_sendRawTransactionSync', 'sync'],
  ['eth_newFilter', 'write'],
  ['eth_subscribe', 'subscription'],
  ['eth_unsubscribe', 'subscription'],
  ['arbtrace_call', 'heavy'],
  ['vendor_thing', 'write'],
  ['constructor', 'write'],
])('of an EVM network, %s is of the class %s', (method, expected) => {
  expect(methodClassOf(evm.facts)(method)).toBe(expected)
})

it.each([
  ['starknet_call', 'read'],
  ['starknet_getEvents', 'logs'],
  ['starknet_traceTransaction', 'heavy'],
  ['starknet_simulateTransactions', 'heavy'],
  ['starknet_getStorageProof', 'heavy'],
  ['starknet_addInvokeTransaction', 'write'],
  ['starknet_subscribeNewHeads', 'subscription'],
])('of Starknet, %s is of the class %s', (method, expected) => {
  expect(methodClassOf(starknet.facts)(method)).toBe(expected)
})

it('every read of the table of EVM methods is a read, heavy or of logs', () => {
  const classOf = methodClassOf(evmMethods)
  const reads = Object.entries(evmMethods).filter(([, { effect }]) => effect === 'read')
  expect(new Set(reads.map(([method]) => classOf(method)))).toEqual(new Set(['read', 'heavy', 'logs']))
})
