import { rawJsonFromChunks, rawJsonFromText, type RpcRequest } from '@wayleave/jsonrpc-core'
import { expect, it } from 'vitest'
import { networkKinds } from '../../src/kinds/index.ts'

function call(method: string, params?: string): RpcRequest {
  return { method, params: params === undefined ? undefined : rawJsonFromText(params), notification: false }
}

const { evm, rollup } = networkKinds
const needs = (method: string, params?: string) => evm.needs(call(method, params))

const hash = `0x${'Ab'.repeat(32)}`
const latest = { tag: 'latest' }
const address = `0x${'11'.repeat(20)}`

it.each<[method: string, params: string | undefined, need: unknown]>([
  // The block parameter, in every form.
  ['eth_getBalance', `["${address}","latest"]`, latest],
  ['eth_getBalance', `["${address}", "latest" ]`, latest],
  ['eth_getBalance', `["${address}"]`, latest],
  ['eth_getBalance', `["${address}",null]`, latest],
  ['eth_getBalance', `["${address}","0x10"]`, { atLeast: 16 }],
  ['eth_getBalance', `["${address}","safe"]`, { tag: 'safe' }],
  ['eth_getBalance', `["${address}","finalized"]`, { tag: 'finalized' }],
  ['eth_getTransactionCount', `["${address}","pending"]`, { tag: 'pending' }],
  ['eth_getBalance', `["${address}","${hash}"]`, { hash: hash.toLowerCase() }],
  ['eth_getBalance', `["${address}",{"blockHash":"${hash}","requireCanonical":true}]`, { hash: hash.toLowerCase() }],
  ['eth_getBalance', `["${address}",{"blockNumber":"0xff"}]`, { atLeast: 255 }],
  ['eth_getBlockByNumber', '["latest",false]', latest],
  ['eth_getBlockByNumber', '["pending",false]', { tag: 'pending' }],
  ['eth_getBlockByNumber', '["0x1b4",true]', { atLeast: 436 }],
  ['eth_getBlockReceipts', '[436]', { atLeast: 436 }],
  ['eth_getStorageAt', `["${address}","0x0","0x5"]`, { atLeast: 5 }],
  ['eth_call', `[{"to":"${address}","data":"0x"},"latest",{"${address}":{"balance":"0x1"}}]`, latest],
  ['eth_call', `[{"to":"${address}"}]`, latest],
  ['eth_feeHistory', '["0x4","0x64",[25]]', { atLeast: 100 }],
  ['debug_traceCallMany', '[[],{"blockNumber":"0x7"}]', { atLeast: 7 }],
  // Every node has the first block.
  ['eth_getBlockByNumber', '["earliest",false]', undefined],
  // The head, told or not.
  ['eth_blockNumber', '[]', latest],
  ['eth_blockNumber', undefined, latest],
  ['eth_gasPrice', undefined, latest],
  ['eth_getTransactionReceipt', `["${hash}"]`, latest],
  ['eth_getTransactionByHash', `["${hash}"]`, latest],
  ['debug_traceTransaction', `["${hash}"]`, latest],
  // Its nonce counts the pool.
  ['eth_fillTransaction', `[{"from":"${address}"}]`, { tag: 'pending' }],
  // By hash alone.
  ['eth_getBlockByHash', `["${hash}",false]`, { hash: hash.toLowerCase() }],
  ['debug_traceBlockByHash', `["${hash}"]`, { hash: hash.toLowerCase() }],
  // Ranges: their later end.
  ['eth_getLogs', `[{"address":"${address}"}]`, latest],
  ['eth_getLogs', '[{"fromBlock":"0x1","toBlock":"0x9"}]', { atLeast: 9 }],
  ['eth_getLogs', '[{"fromBlock":"0x9","toBlock":"0x1"}]', { atLeast: 9 }],
  ['eth_getLogs', '[{"fromBlock":"0x1"}]', latest],
  ['eth_getLogs', '[{"fromBlock":"0x1","toBlock":"latest"}]', latest],
  ['eth_getLogs', '[{"fromBlock":"latest","toBlock":"pending"}]', { tag: 'pending' }],
  ['eth_getLogs', '[{"fromBlock":"earliest","toBlock":"earliest"}]', undefined],
  ['eth_getLogs', '[{"fromBlock":"earliest","toBlock":"finalized"}]', { tag: 'finalized' }],
  ['eth_getLogs', '[{"fromBlock":"finalized","toBlock":"safe"}]', { tag: 'safe' }],
  ['eth_getLogs', `[{"blockHash":"${hash}"}]`, { hash: hash.toLowerCase() }],
  ['trace_filter', '[{"fromBlock":"0x1","toBlock":"0x2"}]', { atLeast: 2 }],
  // Nothing.
  ['eth_chainId', '[]', undefined],
  ['net_version', undefined, undefined],
  ['web3_sha3', '["0x00"]', undefined],
  ['debug_traceBlock', '["0xf9"]', undefined],
  ['eth_sendRawTransaction', '["0x02"]', undefined],
  ['eth_getFilterChanges', '["0x1"]', undefined],
  ['eth_subscribe', '["newHeads"]', undefined],
  ['constructor', '["latest"]', undefined],
  ['erigon_forks', '["latest"]', undefined],
])('%s %s needs %j', (method, params, need) => {
  expect(needs(method, params)).toEqual(need)
  expect(rollup.needs(call(method, params))).toEqual(need)
})

// The node refuses them in its own words.
it.each([
  ['eth_getBalance', '{"address":"0x"}'],
  ['eth_getBalance', '["0x",7.5]'],
  ['eth_getBalance', '["0x","0x"]'],
  ['eth_getBalance', '["0x","nonsense"]'],
  ['eth_getBalance', '["0x",{}]'],
  ['eth_getBalance', '["0x",["latest"]]'],
  ['eth_getBalance', '["0x","0xffffffffffffffff"]'],
  ['eth_getBalance', '["0x",-1]'],
  ['eth_getBlockByHash', '[1]'],
  ['eth_getBlockByHash', undefined],
  ['eth_getLogs', '["latest"]'],
  ['eth_getLogs', '[{"fromBlock":"0x1","toBlock":"nonsense"}]'],
  ['eth_getLogs', '[]'],
] as const)('%s %s names no block', (method, params) => {
  expect(needs(method, params)).toBeUndefined()
})

it('a parameter that only looks like a tag at the end of a text is not taken for one', () => {
  expect(needs('eth_getBlockByNumber', '["0x5","latest"]')).toEqual({ atLeast: 5 })
})

it('reads params only of methods that name a block in them', () => {
  const request = (method: string): RpcRequest => ({
    method,
    notification: false,
    get params(): never {
      throw new Error('the params were read')
    },
  })
  for (const method of ['eth_blockNumber', 'eth_getTransactionReceipt', 'eth_chainId', 'eth_sendRawTransaction'])
    expect(() => evm.needs(request(method))).not.toThrow()
})

it('a tag at the end of long params is found without parsing them', () => {
  const params = rawJsonFromText(`[{"data":"0x${'00'.repeat(50_000)}"},"latest"]`)
  params.value = () => {
    throw new Error('the params were parsed')
  }
  expect(evm.needs({ method: 'eth_call', params, notification: false })).toEqual(latest)
})

const block = (text: string): string => `{"hash":"0x1","nonce":"0x0","number":${text},"parentHash":"0x2"}`

it.each<[method: string, params: string, result: string, head: number | undefined]>([
  ['eth_blockNumber', '[]', '"0x1b4"', 436],
  ['eth_blockNumber', '[]', '"0x0"', 0],
  ['eth_blockNumber', '[]', 'null', undefined],
  ['eth_blockNumber', '[]', '"0xffffffffffffffff"', 2 ** 64],
  ['eth_blockNumber', '[]', '436', undefined],
  ['eth_getBlockByNumber', '["latest",false]', block('"0x10"'), 16],
  ['eth_getBlockByNumber', '["latest",false]', block(' "0x10"').replace('"number":', '"number" : '), 16],
  ['eth_getBlockByNumber', '["0x10",false]', block('"0x10"'), 16],
  ['eth_getBlockByNumber', '["latest",false]', 'null', undefined],
  // It will be built on the head.
  ['eth_getBlockByNumber', '["pending",false]', block('"0x10"'), undefined],
  ['eth_getBlockByNumber', '["latest",false]', block('null'), undefined],
  ['eth_getBlockByHash', `["${hash}",false]`, block('"0x10"'), 16],
  ['eth_getTransactionReceipt', `["${hash}"]`, '{"blockHash":"0x1","blockNumber":"0x11","logs":[]}', 17],
  ['eth_getTransactionByHash', `["${hash}"]`, '{"blockHash":null,"blockNumber":null}', undefined],
  ['eth_getLogs', '[{}]', '[{"blockNumber":"0x11"},{"blockNumber":"0x12"}]', 18],
  ['eth_getLogs', '[{}]', '[]', undefined],
  ['eth_getBalance', `["${address}","latest"]`, '"0x10"', undefined],
  ['constructor', '[]', '"0x10"', undefined],
])('%s %s answered with %s tells head %s', (method, params, result, head) => {
  expect(evm.headOf(call(method, params), { result: rawJsonFromText(result) })).toBe(head)
  const bytes = rawJsonFromChunks([new TextEncoder().encode(result)])
  expect(rollup.headOf(call(method, params), { result: bytes })).toBe(head)
})

it('neither errors nor answers that are long or still arriving tell a head', () => {
  const request = call('eth_blockNumber', '[]')
  expect(evm.headOf(request, { error: { code: -32000, message: '0x10' } })).toBeUndefined()
  expect(evm.headOf(request, { result: { streaming: true } as never })).toBeUndefined()
  const long = rawJsonFromText(block('"0x10"').replace('{', `{"extraData":"0x${'00'.repeat(100_000)}",`))
  expect(evm.headOf(call('eth_getBlockByNumber', '["latest",true]'), { result: long })).toBeUndefined()
})
