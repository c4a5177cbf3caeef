import { likenessOf } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { evmComparison, isDeterministic } from '../../src/kinds/evm-comparison.ts'
import { call } from '../support.ts'

const { rulesOf, errorClassOf } = evmComparison()
const hash = `0x${'ab'.repeat(32)}`

describe('isDeterministic', () => {
  it.each(['eth_call', 'eth_getBlockByNumber', 'eth_getLogs', 'eth_getTransactionReceipt', 'debug_traceBlockByHash'])(
    'takes %s',
    (method) => expect(isDeterministic(method)).toBe(true),
  )

  it.each([
    'eth_sendRawTransaction',
    'eth_gasPrice',
    'eth_blockNumber',
    'eth_syncing',
    'net_peerCount',
    'web3_clientVersion',
    'eth_estimateGas',
    'eth_subscribe',
    'eth_newFilter',
    'txpool_content',
    'constructor',
    'eth_unknown',
  ])('refuses %s', (method) => expect(isDeterministic(method)).toBe(false))
})

describe('answers of EVM nodes', () => {
  const compare = (method: string, a: unknown, b: unknown): string => likenessOf(a, b, rulesOf(method))

  it.each<[string, string, unknown, unknown, string]>([
    ['eth_getBalance', 'quantities', '0x0a', '0xa', 'same'],
    ['eth_call', 'data', '0x0a', '0xa', 'different'],
    ['eth_getBlockByNumber', 'sizes', { hash, size: '0x1' }, { hash, size: '0x2' }, 'alike'],
    ['eth_getBlockByNumber', 'total difficulties', { hash, totalDifficulty: '0x1' }, { hash }, 'alike'],
    ['eth_getBlockByNumber', 'hashes', { hash }, { hash: `0x${'ac'.repeat(32)}` }, 'different'],
    [
      'eth_getBlockByNumber',
      'nested quantities',
      { transactions: [{ gas: '0x01' }] },
      { transactions: [{ gas: '0x1' }] },
      'same',
    ],
    ['eth_getBlockByNumber', 'a base fee that one lacks', { hash, baseFeePerGas: '0x7' }, { hash }, 'different'],
    [
      'eth_getBlockByNumber',
      'a root of withdrawals that one lacks',
      { hash, withdrawalsRoot: hash },
      { hash },
      'alike',
    ],
    [
      'debug_traceBlockByHash',
      'a trace that one lacks',
      [{ txHash: hash, result: {} }],
      [{ txHash: hash }],
      'different',
    ],
    [
      'eth_getTransactionReceipt',
      'what a rollup adds',
      { blockHash: hash, l1Fee: '0x1' },
      { blockHash: hash },
      'alike',
    ],
    ['eth_getTransactionReceipt', 'fees of L1', { l1Fee: '0x1' }, { l1Fee: '0x2' }, 'different'],
    ['eth_getTransactionReceipt', 'a status that one lacks', { status: '0x1' }, {}, 'different'],
    ['eth_getTransactionReceipt', 'statuses', { status: '0x1' }, { status: '0x0' }, 'different'],
    ['eth_getLogs', 'lists', [{ address: hash }], [], 'different'],
    ['eth_getLogs', 'times of blocks', [{ data: '0x', blockTimestamp: '0x1' }], [{ data: '0x' }], 'alike'],
    ['eth_feeHistory', 'lists of quantities', { baseFeePerGas: ['0x07'] }, { baseFeePerGas: ['0x7'] }, 'same'],
  ])('%s, %s', (method, _, a, b, likeness) => expect(compare(method, a, b)).toBe(likeness))
})

describe('errors of EVM nodes', () => {
  const classOf = (error: { code: number; message: string; data?: unknown }): string =>
    errorClassOf(call('eth_call'), error)

  it('agree in their class, whatever their words', () => {
    expect(classOf({ code: -32000, message: 'out of gas' })).toBe(
      classOf({ code: -32015, message: 'out of gas: gas 5' }),
    )
    expect(classOf({ code: -32000, message: 'odd' })).not.toBe(classOf({ code: -32001, message: 'odd' }))
  })

  it('agree on a revert only by its data', () => {
    const data = `0x08c379a0${'20'.padStart(64, '0')}${'1'.padStart(64, '0')}${'61'.padEnd(64, '0')}`
    const geth = classOf({ code: 3, message: 'execution reverted: a', data })
    expect(classOf({ code: -32015, message: 'VM execution error.', data: `Reverted ${data}` })).toBe(geth)
    expect(classOf({ code: 3, message: 'execution reverted: a', data: data.replace('61', '62') })).not.toBe(geth)
    const panic = `0x4e487b71${'11'.padStart(64, '0')}`
    expect(classOf({ code: 3, message: 'execution reverted', data: panic })).toContain('panic')
  })
})
