import { expect, test } from 'vitest'
import { evmMethods, evmProviderFacts } from '../src/index.ts'

test('methods of providers are in no other table, and only what sends is a write', () => {
  const names = Object.keys(evmProviderFacts)
  expect(names.filter((method) => Object.hasOwn(evmMethods, method))).toEqual([])
  expect(names.filter((method) => evmProviderFacts[method]!.effect === 'write')).toEqual([
    'eth_sendUserOperation',
    'eth_sendBundle',
    'eth_sendRawTransactionConditional',
    'zks_sendRawTransactionWithDetailedOutput',
  ])
})

test('no answer of a method without schemas is kept', () => {
  for (const facts of Object.values(evmProviderFacts))
    expect(Object.keys(facts)).toEqual(['summary', 'effect', 'paramNames'])
})
