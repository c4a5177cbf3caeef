import type { MethodFacts, Schema } from '@wayleave/jsonrpc-core/schema'
import { describe, expect, test } from 'vitest'
import { evmMethods } from '../../src/index.ts'
import { recorded } from '../recorded.ts'

const calls = [
  ...recorded('execution-apis-exchanges.json'),
  ...recorded('derived-uncles.json'),
  ...recorded('rollup-answers.json'),
  ...recorded('sync-status-answers.json'),
  ...recorded('other-answers.json'),
]

const table: Record<string, { params: Pick<Schema<unknown>, 'check'>; result: Pick<Schema<unknown>, 'check'> }> &
  MethodFacts = evmMethods

const answered = calls.filter((call) => call.answer.error === undefined)
const failed = calls.filter((call) => call.answer.error !== undefined)

describe.each(answered)('the recorded call $id', ({ method, params, answer }) => {
  test('has params that the strict schema passes', () => {
    expect(table[method]?.params.check(params, 'params')).toBeUndefined()
  })

  test('has a result that its schema passes', () => {
    expect(table).toHaveProperty(method)
    expect(answer).toHaveProperty('result')
    expect(table[method]?.result.check(answer.result, 'result')).toBeUndefined()
  })
})

// A trace may be anything; an object by address takes any object apart from its members' names.
test.each(failed.filter(({ method }) => method !== 'debug_traceTransaction'))(
  'the recorded error of $id is no result',
  ({ method, answer }) => {
    expect(table[method]?.result.check(answer.error, 'result')?.path).toMatch(/^result/)
  },
)

test('every method of the specification is among the recorded calls', () => {
  const methods = new Set(answered.map((call) => call.method))
  for (const method of [
    'eth_getStorageAt',
    'eth_getUncleByBlockNumberAndIndex',
    'eth_getTransactionByBlockHashAndIndex',
    'eth_getTransactionByHash',
    'eth_getBlockReceipts',
    'eth_estimateGas',
    'rollup_getInfo',
  ]) {
    expect(methods).toContain(method)
  }
})

const malformed = [
  ['debug_getRawBlock/get-invalid-number', 'params[0]'],
  ['debug_getRawHeader/get-invalid-number', 'params[0]'],
  ['debug_getRawReceipts/get-invalid-number', 'params[0]'],
  ['debug_getRawTransaction/get-invalid-hash', 'params[0]'],
  ['debug_traceBlockByNumber/trace-block-invalid-number', 'params[0]'],
  ['eth_getLogs/filter-error-invalid-blockHash-and-range', 'params[0].fromBlock'],
  ['eth_getStorageAt/get-storage-invalid-key-too-large', 'params[1]'],
  ['eth_getStorageAt/get-storage-invalid-key', 'params[1]'],
] as const

test.each(malformed)('%s, which the node found malformed, is refused before it is sent', (id, path) => {
  const call = failed.find((each) => each.id === id)
  expect(call?.answer.error?.code).toBe(-32602)
  expect(table[call?.method ?? '']?.params.check(call?.params, 'params')?.path).toBe(path)
})

// Only the node can know which blocks, transactions and code there are.
const ids = new Set<string>(malformed.map(([id]) => id))
test.each(failed.filter(({ id }) => !ids.has(id)))('$id, which failed for another reason, is well-formed', (call) => {
  expect(table[call.method]?.params.check(call.params, 'params')).toBeUndefined()
})
