import { rawJsonFromText, rawJsonFromValue, type RpcRequest } from '@wayleave/jsonrpc-core'
import type { CachedQuestion } from '@wayleave/rpc-cache'
import { describe, expect, it } from 'vitest'
import type { CacheHeads } from '../../src/kinds/cache-kind.ts'
import { starknetCache } from '../../src/kinds/starknet-cache.ts'
import { hintsOf, withHints } from '../../src/hints/call-hints.ts'

const cache = starknetCache()
const head = { number: 500, hash: '0xabc' }
const heads: CacheHeads = {
  head,
  finalized: 400,
  hashAt: (height) => (height === 500 ? head.hash : height === 499 ? '0xdef' : undefined),
}
const call = (method: string, params?: string, version = '0.10'): RpcRequest =>
  withHints(
    {
      method: `starknet_${method}`,
      params: params === undefined ? undefined : rawJsonFromText(params),
      notification: false,
    },
    { apiVersion: version },
  )
const asked = (method: string, params?: string, version?: string, at = heads): CachedQuestion | undefined =>
  cache.classify(call(method, params, version), at)
const keyOf = (method: string, params?: string, version?: string): string | undefined =>
  asked(method, params, version)?.key
/** The params that a node gets for a call. */
const sentFor = (method: string, params: string, version?: string): string | undefined => {
  const question = asked(method, params, version)
  return question && (question.ask?.params ?? rawJsonFromText(params)).text()
}

const padded = `0x${'1aB'.padStart(64, '0')}`

describe('spellings of one question share its key', () => {
  it.each<[method: string, spellings: readonly string[]]>([
    [
      'getNonce',
      [
        '["latest","0x1ab"]',
        `["latest","${padded}"]`,
        '{"block_id":"latest","contract_address":"0x1AB"}',
        `{ "contract_address": "${padded}", "block_id": {"block_hash":"0x00abc"} }`,
        '[{"block_number":500},"0x1ab"]',
      ],
    ],
    [
      'getStorageAt',
      [
        '["0x1ab","0x0","latest"]',
        `["${padded}","0x00","latest",[]]`,
        '{"block_id":"latest","key":"0x0","contract_address":"0x1ab","response_flags":[]}',
      ],
    ],
    [
      'call',
      [
        '[{"contract_address":"0x1ab","entry_point_selector":"0x2","calldata":["0x03"]},{"block_number":7}]',
        `{"block_id":{"block_number":7},"request":{"calldata":["0x3"],"contract_address":"${padded}","entry_point_selector":"0x02"}}`,
      ],
    ],
    ['chainId', ['[]', '{}']],
    ['getTransactionReceipt', ['["0x1ab"]', `{"transaction_hash":"${padded}"}`]],
    [
      'getEvents',
      [
        '[{"from_block":{"block_number":1},"to_block":{"block_number":2},"chunk_size":5,"address":"0x01"}]',
        '{"filter":{"chunk_size":5,"address":"0x1","to_block":{"block_number":2},"from_block":{"block_number":1}}}',
      ],
    ],
  ])('%s %s', (method, spellings) => {
    const [first, ...others] = spellings.map((params) => keyOf(method, params))
    expect(first).toBeDefined()
    expect(others).toEqual(others.map(() => first))
  })

  it('as does one without params', () => {
    expect(keyOf('chainId')).toBe(keyOf('chainId', '[]'))
  })
})

it('different questions have different keys', () => {
  const keys = [
    keyOf('getNonce', '["latest","0x1"]'),
    keyOf('getNonce', '["latest","0x2"]'),
    keyOf('getNonce', '["latest","0x1"]', '0.8'),
    keyOf('getNonce', '[{"block_number":499},"0x1"]'),
    keyOf('getNonce', '[{"block_number":399},"0x1"]'),
    keyOf('getClassHashAt', '["latest","0x1"]'),
    keyOf('getStateUpdate', '[{"block_number":1}]'),
    keyOf('getStateUpdate', '[{"block_number":1},[]]'),
    keyOf('getBlockWithTxs', '["latest"]'),
    keyOf('getBlockWithTxs', '["latest",["INCLUDE_PROOF_FACTS"]]'),
    keyOf('getBlockWithTxs', '[{"block_number":7}]'),
    keyOf('getBlockWithTxs', '[{"block_hash":"0x7"}]'),
  ]
  expect(keys).not.toContain(undefined)
  expect(new Set(keys).size).toBe(keys.length)
})

it.each<[method: string, params: string, sent: string, version?: string]>([
  ['getNonce', '["latest","0x01"]', '[{"block_hash":"0xabc"},"0x01"]'],
  [
    'getNonce',
    '{"contract_address":"0x01","block_id":"latest"}',
    '{"contract_address":"0x01","block_id":{"block_hash":"0xabc"}}',
  ],
  ['getNonce', '[{"block_number":499},"0x1"]', '[{"block_hash":"0xdef"},"0x1"]'],
  ['getBlockWithTxs', '["latest"]', '[{"block_hash":"0xabc"}]'],
  // The place of the block is another one in 0.5.1.
  ['estimateFee', '[[],"latest"]', '[[],{"block_hash":"0xabc"}]', '0.5.1'],
  ['estimateFee', '[[],[],"latest"]', '[[],[],{"block_hash":"0xabc"}]', '0.8'],
  // Final blocks, and those named by their hash, are asked for as they came.
  ['getNonce', '[{"block_number":400},"0x01"]', '[{"block_number":400},"0x01"]'],
  ['getNonce', '[{"block_hash":"0x0a"},"0x01"]', '[{"block_hash":"0x0a"},"0x01"]'],
])('a node is asked %s %s as %s', (method, params, sent, version) => {
  expect(sentFor(method, params, version)).toBe(sent)
})

it('a call that is asked in other words is of the same version', () => {
  expect(hintsOf(asked('getNonce', '["latest","0x1"]', '0.8')!.ask!).apiVersion).toBe('0.8')
})

it.each<[method: string, params: string, version?: string]>([
  ['getNonce', '["pre_confirmed","0x1"]'],
  ['getNonce', '["pending","0x1"]', '0.8'],
  ['getNonce', '["l1_accepted","0x1"]'],
  ['getNonce', '["earliest","0x1"]'],
  // Beyond the head, and where nobody knows the block.
  ['getNonce', '[{"block_number":501},"0x1"]'],
  ['getNonce', '[{"block_number":450},"0x1"]'],
  // Words that nobody here knows, or that have more than one reading.
  ['getNonce', '["latest"]'],
  ['getNonce', '["latest","0x1",1]'],
  ['getNonce', '{"block_id":"latest","contract_address":"0x1","further":1}'],
  ['getNonce', '[{"block_number":1,"block_hash":"0x1"},"0x1"]'],
  ['getNonce', '[{"block_number":1.0},"0x1"]'],
  ['getNonce', '{"block_id":"latest","contract_address":"0x1","contract_address":"0x2"}'],
  // Some nodes prove their own head alone.
  ['getStorageProof', '["latest"]'],
  // Another version has it.
  ['getStorageProof', '["latest"]', '0.7'],
  ['getTransactionStatus', '["0x1"]'],
  ['traceTransaction', '["0x1"]'],
  ['syncing', '[]'],
  ['specVersion', '[]'],
  ['addInvokeTransaction', '[{}]'],
  // Those that are not final change.
  ['getBlockWithTxs', '[{"block_number":499}]'],
  ['getEvents', '[{"from_block":{"block_number":1},"to_block":"latest","chunk_size":5}]'],
  ['getEvents', '[{"from_block":{"block_number":1},"to_block":{"block_number":401},"chunk_size":5}]'],
  [
    'getEvents',
    '[{"from_block":{"block_number":1},"to_block":{"block_number":2},"chunk_size":5,"continuation_token":"7"}]',
  ],
])('%s %s has no key', (method, params, version) => {
  expect(asked(method, params, version)).toBeUndefined()
})

it('nothing that depends on the head has a key while it is not known', () => {
  const none: CacheHeads = { head: undefined, finalized: undefined, hashAt: () => undefined }
  for (const [method, params] of [
    ['getNonce', '["latest","0x1"]'],
    ['getNonce', '[{"block_number":1},"0x1"]'],
    ['getTransactionByHash', '["0x1"]'],
    ['getBlockWithTxs', '["latest"]'],
  ]) {
    expect(asked(method!, params, '0.10', none)).toBeUndefined()
  }
  expect(asked('chainId', '[]', '0.10', none)?.life).toEqual({ of: 'params' })
  expect(asked('getNonce', '[{"block_hash":"0x1"},"0x1"]', '0.10', none)?.life).toEqual({ of: 'block', hash: '0x1' })
})

it.each<[method: string, params: string, life: CachedQuestion['life']]>([
  ['chainId', '[]', { of: 'params' }],
  ['getNonce', '["latest","0x1"]', { of: 'block', hash: head.hash }],
  ['getNonce', '[{"block_number":400},"0x1"]', { of: 'numbers', to: 400 }],
  ['getEvents', '[{"from_block":{"block_number":1},"to_block":{"block_number":2}}]', { of: 'numbers', to: 2 }],
  // A transaction may leave the chain; a block and a receipt change once more.
  ['getTransactionByHash', '["0x1"]', { of: 'head', at: { height: 500, hash: head.hash } }],
  ['getBlockWithTxs', '["latest"]', { of: 'head', at: { height: 500, hash: head.hash } }],
  ['getBlockWithTxs', '[{"block_hash":"0xabc"}]', { of: 'head', at: { height: 500, hash: head.hash } }],
  ['getBlockWithTxs', '[{"block_hash":"0x7"}]', { of: 'answer' }],
  ['getBlockWithTxs', '[{"block_number":7}]', { of: 'answer' }],
  ['getTransactionReceipt', '["0x1"]', { of: 'answer' }],
])('the answer to %s %s holds by %j', (method, params, life) => {
  expect(asked(method, params)?.life).toEqual(life)
})

it('a block and a receipt name their place only once L1 has accepted it', () => {
  const place = { block_hash: '0x0A', block_number: 7 }
  const reported = (method: string, result: unknown): unknown =>
    cache.positionOf(call(method), rawJsonFromValue(result))
  expect(reported('getBlockWithTxs', { status: 'ACCEPTED_ON_L1', ...place })).toEqual({ number: 7, hash: '0xa' })
  expect(reported('getTransactionReceipt', { finality_status: 'ACCEPTED_ON_L1', ...place })).toEqual({
    number: 7,
    hash: '0xa',
  })
  expect(reported('getBlockWithTxs', { status: 'ACCEPTED_ON_L2', ...place })).toBeUndefined()
  const receipts = [{ receipt: { finality_status: 'ACCEPTED_ON_L2' } }]
  const mixed = { status: 'ACCEPTED_ON_L1', ...place, transactions: receipts }
  expect(reported('getBlockWithReceipts', mixed)).toBeUndefined()
  expect(reported('getTransactionReceipt', { finality_status: 'ACCEPTED_ON_L1' })).toBeUndefined()
})

it('the served head answers questions for it, and a page that has a next one is not kept', () => {
  const answer = (method: string, params?: string) => cache.answerAt(call(method, params), head)?.result
  expect(answer('blockNumber')).toMatchObject({ byteLength: 3 })
  expect(answer('blockNumber', '[1]')).toBeUndefined()
  const whole = answer('blockHashAndNumber', '{ }')
  expect(whole && 'value' in whole && whole.value()).toEqual({ block_hash: '0xabc', block_number: 500 })
  const events = (result: unknown): boolean => cache.isUnsound(call('getEvents'), rawJsonFromValue(result))
  expect([events({ events: [], continuation_token: '7' }), events({ events: [] })]).toEqual([true, false])
})

it('a block at a height is asked for by its number, and its hash read as heads have it', () => {
  expect(cache.blockAt(7)).toMatchObject({ method: 'starknet_getBlockWithTxHashes' })
  expect(cache.blockAt(7).params!.text()).toBe('[{"block_number":7}]')
  const block = { status: 'ACCEPTED_ON_L2', block_number: 7, block_hash: '0x0Ab' }
  expect(cache.hashIn({ result: rawJsonFromValue(block) })).toBe('0xab')
  expect(cache.hashIn({ error: { code: 24, message: 'Block not found' } })).toBeNull()
  expect(cache.hashIn({ error: { code: -32603, message: 'busy' } })).toBeUndefined()
})

it('a contract that is not there is an answer, a block is not', () => {
  expect([20, 40, 24, -32602].map((code) => cache.isAnswer!({ code, message: '' }))).toEqual([true, true, false, false])
})

it.each<[method: string, params: unknown, named: unknown, ...others: unknown[]]>([
  ['getBlockWithTxHashes', [{ block_hash: '0x0a' }], { block_hash: '0xA' }, { block_hash: '0xb' }, 'oops', 7, []],
  [
    'getBlockWithTxs',
    { block_id: { block_number: 3 } },
    { block_hash: '0xa', block_number: 3 },
    { block_hash: '0xa', block_number: 4 },
  ],
  ['getTransactionReceipt', ['0x0c'], { transaction_hash: '0xc' }, { transaction_hash: '0xd' }, {}, 'oops'],
  ['getTransactionByHash', { transaction_hash: '0xc' }, { transaction_hash: '0x0c' }, { transaction_hash: '0xd' }],
  ['getNonce', ['latest', '0x1'], '0x1', 'oops', 7, '<html>'],
  ['getBlockTransactionCount', [{ block_hash: '0xa' }], 7, 'oops', '0x1'],
  ['call', [{}, 'latest'], ['0x1'], 'oops', 7],
])('%s is kept if it has its shape and names what was asked for', (method, params, named, ...others) => {
  const request = { method: `starknet_${method}`, params: rawJsonFromValue(params), notification: false }
  const isNamed = (result: unknown): boolean =>
    cache.isNamed(request, { of: 'answer' }, rawJsonFromValue(result), () => true)
  expect([named, ...others].map(isNamed)).toEqual([true, ...others.map(() => false)])
})
