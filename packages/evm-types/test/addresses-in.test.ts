import { expect, test } from 'vitest'
import { addressesIn, evmMethods } from '../src/index.ts'

const a = '0x7dcd17433742f4c0ca53122ab541d0ba67fc27df'
const b = '0xC1CADAFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF'

test.each<[keyof typeof evmMethods, unknown, string[]]>([
  ['eth_getBalance', [a, 'latest'], [a]],
  ['eth_call', [{ from: b, to: a }, 'latest'], [a]],
  ['eth_call', [{ data: '0x' }], []],
  ['eth_call', [{ to: null }], []],
  ['eth_getLogs', [{ address: a }], [a]],
  ['eth_getLogs', [{ address: [a, b] }], [a, b]],
  ['eth_getLogs', [{}], []],
  ['eth_newFilter', [{ address: [b] }], [b]],
  ['eth_subscribe', ['logs', { address: [a, b] }], [a, b]],
  ['eth_subscribe', ['newHeads'], []],
  ['eth_getStorageValues', [{ [a]: [], [b]: [] }, 'latest'], [a, b]],
  ['eth_simulateV1', [{ blockStateCalls: [{ calls: [{ to: a }, {}] }, {}, { calls: [{ to: b }] }] }], [a, b]],
  ['debug_traceCallMany', [[{ transactions: [{ to: a }, {}] }, { transactions: [{ to: b }] }], {}], [a, b]],
  [
    'trace_callMany',
    [
      [
        [{ to: a }, ['trace']],
        [{}, []],
        [{ to: b }, []],
      ],
    ],
    [a, b],
  ],
  ['trace_filter', [{ fromAddress: [a], toAddress: [b] }], [a, b]],
  ['debug_storageRangeAt', ['latest', 0, a, '0x', 10], [a]],
  ['eth_sendTransaction', [{ from: b, to: a }], [b, a]],
  ['eth_fillTransaction', [{ from: b }], [b]],
  ['eth_call', [{ to: a }, 'latest', { [b]: { code: '0x60' } }], [a, b]],
  ['eth_call', [{ to: a, authorizationList: [{ address: b }] }], [a, b]],
  ['eth_call', [{ to: a, accessList: [{ address: b, storageKeys: [] }] }], [a]],
  ['eth_estimateGas', [{}, 'latest', { [b]: {} }], [b]],
  ['eth_simulateV1', [{ blockStateCalls: [{ stateOverrides: { [b]: {} } }, { calls: [{ to: a }] }] }], [a, b]],
  ['debug_traceCall', [{ to: a }, 'latest', { stateOverrides: { [b]: {} } }], [a, b]],
  ['debug_traceCallMany', [[], {}, { stateOverrides: { [b]: {} } }], [b]],
  ['trace_call', [{ to: a, authorizationList: [{ address: b }] }, []], [a, b]],
  ['eth_blockNumber', [a], []],
  ['eth_getBalance', [], []],
  ['eth_getBalance', { 0: a }, []],
  ['eth_call', [null], []],
  ['eth_call', ['to'], []],
])('%s %j names %j', (method, params, addresses) => {
  expect(addressesIn(evmMethods[method], params)).toEqual(addresses)
})

test('an array is looked into however deep it is', () => {
  const depth = 200_000
  const deep: unknown = JSON.parse(`${'['.repeat(depth)}{"address":["${a}",["${b}"]]}${']'.repeat(depth)}`)
  expect(addressesIn(evmMethods.eth_getLogs, [deep])).toEqual([a, b])
})

test('what params inherit does not count', () => {
  const inherits: unknown = Object.create({ to: a })
  expect(addressesIn(evmMethods.eth_call, [inherits])).toEqual([])
})
