import { rawJsonFromText, type RpcRequest } from '@wayleave/jsonrpc-core'
import { expect, it } from 'vitest'
import { networkKinds } from '../../src/kinds/index.ts'
import { textOf } from './support.ts'

const hash = `0x${'ab'.repeat(32)}`
const other = `0x${'cd'.repeat(32)}`
const address = `0x${'11'.repeat(20)}`
const block = { number: 500, hash }

const call = (method: string, params: string | undefined): RpcRequest => ({
  method,
  params: params === undefined ? undefined : rawJsonFromText(params),
  notification: false,
})

/** The call that a node gets for one that is pinned to block 500, as `method params`. */
function pinned(method: string, params?: string): string {
  const found = networkKinds.evm.pin!(call(method, params), block)
  if (!('method' in found)) return found.error === undefined ? textOf(found) : `error ${found.error.message}`
  return found.params === undefined ? found.method : `${found.method} ${found.params.text()}`
}

const byHash = `{"blockHash":"${hash}"}`

it.each<[method: string, params: string, by: string]>([
  // By the hash, where EIP-1898 lets it stand.
  ['eth_getBalance', `["${address}","latest"]`, `eth_getBalance ["${address}",${byHash}]`],
  ['eth_getBalance', `["${address}"]`, `eth_getBalance ["${address}",${byHash}]`],
  ['eth_getBalance', `[ "${address}" , null ]`, `eth_getBalance [ "${address}" , ${byHash} ]`],
  ['eth_getBalance', `["${address}",{"blockNumber":"latest"}]`, `eth_getBalance ["${address}",${byHash}]`],
  ['eth_getCode', `["${address}","latest"]`, `eth_getCode ["${address}",${byHash}]`],
  ['eth_getStorageAt', `["${address}","0x0"]`, `eth_getStorageAt ["${address}","0x0",${byHash}]`],
  ['eth_getTransactionCount', `["${address}","latest"]`, `eth_getTransactionCount ["${address}",${byHash}]`],
  ['eth_getProof', `["${address}",[],"latest"]`, `eth_getProof ["${address}",[],${byHash}]`],
  // All other tokens pass as they came.
  ['eth_call', '[{"gas":9007199254740993}]', `eth_call [{"gas":9007199254740993},${byHash}]`],
  ['eth_call', '[{"to":null},"latest",{"a":1.0}]', `eth_call [{"to":null},${byHash},{"a":1.0}]`],
  // By the method that takes a hash.
  ['eth_getBlockByNumber', '["latest",true]', `eth_getBlockByHash ["${hash}",true]`],
  ['eth_getHeaderByNumber', '["latest"]', `eth_getHeaderByHash ["${hash}"]`],
  ['eth_getBlockTransactionCountByNumber', '["latest"]', `eth_getBlockTransactionCountByHash ["${hash}"]`],
  ['eth_getUncleCountByBlockNumber', '["latest"]', `eth_getUncleCountByBlockHash ["${hash}"]`],
  [
    'eth_getTransactionByBlockNumberAndIndex',
    '["latest","0x0"]',
    `eth_getTransactionByBlockHashAndIndex ["${hash}","0x0"]`,
  ],
  ['debug_traceBlockByNumber', '["latest",{}]', `debug_traceBlockByHash ["${hash}",{}]`],
  ['eth_getBlockReceipts', '["latest"]', `eth_getBlockReceipts ["${hash}"]`],
  // The specification has it mean the latest block there.
  ['eth_getBlockReceipts', '["pending"]', `eth_getBlockReceipts ["${hash}"]`],
  ['eth_getLogs', `[{"address":"${address}"}]`, `eth_getLogs [{"address":"${address}","blockHash":"${hash}"}]`],
  ['eth_getLogs', '[{"fromBlock":"latest","toBlock":"latest"}]', `eth_getLogs [{"blockHash":"${hash}"}]`],
  // By the number elsewhere.
  ['eth_getLogs', '[{"fromBlock":"0x1"}]', 'eth_getLogs [{"fromBlock":"0x1","toBlock":"0x1f4"}]'],
  ['eth_getLogs', '[{"toBlock":"0x9"}]', 'eth_getLogs [{"toBlock":"0x9","fromBlock":"0x1f4"}]'],
  ['eth_estimateGas', '[{}]', 'eth_estimateGas [{},"0x1f4"]'],
  ['eth_createAccessList', '[{},"latest"]', 'eth_createAccessList [{},"0x1f4"]'],
  ['eth_simulateV1', '[{},"latest"]', 'eth_simulateV1 [{},"0x1f4"]'],
  ['eth_feeHistory', '["0x4","latest",[25]]', 'eth_feeHistory ["0x4","0x1f4",[25]]'],
  ['debug_traceCall', '[{},"latest",{}]', 'debug_traceCall [{},"0x1f4",{}]'],
  ['debug_getRawHeader', '["latest"]', 'debug_getRawHeader ["0x1f4"]'],
  ['trace_block', '["latest"]', 'trace_block ["0x1f4"]'],
  ['trace_filter', '[{"fromBlock":"0x1"}]', 'trace_filter [{"fromBlock":"0x1","toBlock":"0x1f4"}]'],
  [
    'trace_filter',
    '[{"fromBlock":"latest","toBlock":"0xff"}]',
    'trace_filter [{"fromBlock":"0x1f4","toBlock":"0xff"}]',
  ],
  ['debug_traceCallMany', '[[],{}]', 'debug_traceCallMany [[],{"blockNumber":"0x1f4"}]'],
])('%s %s becomes %s', (method, params, by) => {
  expect(pinned(method, params)).toBe(by)
})

it.each<[method: string, params: string | undefined]>([
  ['eth_getBalance', `["${address}","pending"]`],
  ['eth_getBalance', `["${address}","safe"]`],
  ['eth_getBalance', `["${address}","finalized"]`],
  ['eth_getBalance', `["${address}","earliest"]`],
  ['eth_getBalance', `["${address}","0x10"]`],
  ['eth_getBalance', `["${address}",{"blockHash":"${other}"}]`],
  ['eth_getBlockByNumber', '["pending",false]'],
  ['eth_getBlockByHash', `["${other}",false]`],
  ['eth_getLogs', `[{"blockHash":"${other}"}]`],
  ['eth_getLogs', '[{"fromBlock":"0x1","toBlock":"0x2"}]'],
  ['eth_getLogs', '["latest"]'],
  ['trace_filter', '[{"toBlock":"0x9"}]'],
  ['debug_traceCallMany', '[[],{"blockNumber":"0x7"}]'],
  // They name no block, or none where it has to stand.
  ['eth_gasPrice', undefined],
  ['eth_getTransactionReceipt', `["${other}"]`],
  ['eth_getBlockByNumber', '[]'],
  ['eth_getBalance', '[]'],
  ['eth_getBalance', undefined],
  ['eth_feeHistory', '["0x4"]'],
  // Writes, and methods in no table.
  ['eth_sendRawTransaction', '["0x00"]'],
  ['eth_newFilter', '[{"fromBlock":"latest"}]'],
  ['toString', '["latest"]'],
])('%s %s stays as it is', (method, params) => {
  const request = call(method, params)
  expect(networkKinds.evm.pin!(request, block)).toBe(request)
})

it('the head is the pinned block', () => {
  expect(pinned('eth_blockNumber', '[]')).toBe('"0x1f4"')
  expect(pinned('eth_blockNumber')).toBe('"0x1f4"')
})

it('params by name are refused, as they could not be pinned', () => {
  expect(pinned('eth_getBalance', '{"address":"0x"}')).toBe('error non-array args')
})
