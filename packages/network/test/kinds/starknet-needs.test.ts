import { rawJsonFromText, type RpcRequest } from '@wayleave/jsonrpc-core'
import { expect, it } from 'vitest'
import { starknet } from '../../src/kinds/starknet.ts'
import { withHints } from '../../src/hints/call-hints.ts'

function call(method: string, params?: string): RpcRequest {
  return { method, params: params === undefined ? undefined : rawJsonFromText(params), notification: false }
}

const hash = '0x05d1Ef'
const latest = { tag: 'latest' }

it.each<[method: string, params: string | undefined, need: unknown]>([
  ['starknet_getBlockWithTxs', '["latest"]', latest],
  ['starknet_getBlockWithTxs', '["pending"]', { tag: 'pending' }],
  ['starknet_getBlockWithTxs', '["pre_confirmed"]', { tag: 'pending' }],
  ['starknet_getBlockWithTxs', '["l1_accepted"]', { tag: 'finalized' }],
  ['starknet_getBlockWithTxs', '[{"block_number":7}]', { atLeast: 7 }],
  // Felts may be padded; nodes print them without.
  ['starknet_getBlockWithTxs', `[{"block_hash":"${hash}"}]`, { hash: '0x5d1ef' }],
  ['starknet_getBlockWithTxs', '{"block_id":"latest"}', latest],
  ['starknet_getStorageAt', '["0x1","0x2",{"block_number":7}]', { atLeast: 7 }],
  ['starknet_getStorageAt', '{"contract_address":"0x1","key":"0x2","block_id":{"block_number":7}}', { atLeast: 7 }],
  ['starknet_call', '[{"contract_address":"0x1"},"latest"]', latest],
  ['starknet_blockNumber', undefined, latest],
  ['starknet_blockHashAndNumber', '[]', latest],
  ['starknet_getTransactionReceipt', '["0x1"]', latest],
  ['starknet_traceTransaction', '["0x1"]', latest],
  [
    'starknet_getEvents',
    '[{"from_block":{"block_number":1},"to_block":{"block_number":9},"chunk_size":1}]',
    { atLeast: 9 },
  ],
  ['starknet_getEvents', '{"filter":{"from_block":{"block_number":9},"to_block":"l1_accepted"}}', { atLeast: 9 }],
  ['starknet_getEvents', '[{"chunk_size":1}]', latest],
  ['starknet_getEvents', '[{"to_block":{"block_number":9},"chunk_size":1}]', { atLeast: 9 }],
  ['starknet_chainId', '[]', undefined],
  ['starknet_getCompiledCasm', '["0x1"]', undefined],
  ['starknet_addInvokeTransaction', '[{}]', undefined],
  ['starknet_subscribeNewHeads', '["latest"]', undefined],
  ['constructor', '["latest"]', undefined],
  // The node refuses these.
  ['starknet_getBlockWithTxs', undefined, undefined],
  ['starknet_getBlockWithTxs', '[7]', undefined],
  ['starknet_getBlockWithTxs', '["constructor"]', undefined],
  ['starknet_getBlockWithTxs', '[{"block_number":-7}]', undefined],
  ['starknet_getBlockWithTxs', '[{"block_hash":"7"}]', undefined],
  ['starknet_getEvents', '["latest"]', undefined],
  ['starknet_getEvents', '[{"to_block":"nonsense"}]', undefined],
])('%s %s needs %j', (method, params, need) => {
  expect(starknet.needs(call(method, params))).toEqual(need)
})

it('the block stands where the version of the caller has it', () => {
  const request = (params: string, version: string): RpcRequest =>
    withHints(call('starknet_estimateFee', params), { apiVersion: version })
  expect(starknet.needs(request('[[],{"block_number":7}]', '0.5.1'))).toEqual({ atLeast: 7 })
  expect(starknet.needs(request('[[],[],{"block_number":7}]', '0.6'))).toEqual({ atLeast: 7 })
  expect(starknet.needs(call('starknet_estimateFee', '[[],[],{"block_number":7}]'))).toEqual({ atLeast: 7 })
})

it.each<[method: string, result: string, head: number | undefined]>([
  ['starknet_blockNumber', '436', 436],
  ['starknet_blockNumber', '"0x1"', undefined],
  ['starknet_blockNumber', '9999999999999999', undefined],
  ['starknet_blockHashAndNumber', '{"block_hash":"0x1","block_number":436}', 436],
  ['starknet_getBlockWithTxHashes', '{"block_number": 436, "block_hash":"0x1"}', 436],
  // It is being built.
  ['starknet_getBlockWithTxHashes', '{"block_number":437,"transactions":[]}', undefined],
  ['starknet_getTransactionReceipt', '{"block_hash":"0x1","block_number":435}', 435],
  ['starknet_getBlockWithTxs', '{"status": "PRE_CONFIRMED","block_hash":"0x1","block_number":437}', undefined],
  ['starknet_getBlockWithTxs', '{"status":"PENDING","block_hash":"0x1","block_number":437}', undefined],
  [
    'starknet_getTransactionReceipt',
    '{"finality_status":"PRE_CONFIRMED","block_hash":"0x1","block_number":437}',
    undefined,
  ],
  ['starknet_getTransactionReceipt', '{"block_number":437}', undefined],
  ['starknet_call', '["0x1"]', undefined],
])('%s answered with %s tells head %s', (method, result, head) => {
  expect(starknet.headOf(call(method), { result: rawJsonFromText(result) })).toBe(head)
})

it('an error tells no head', () => {
  expect(starknet.headOf(call('starknet_blockNumber'), { error: { code: 32, message: '7' } })).toBeUndefined()
})
