import { nodeWordings } from '@wayleave/evm-types'
import { rawJsonFromText, type RpcErrorObject, type RpcRequest } from '@wayleave/jsonrpc-core'
import { expect, it } from 'vitest'
import { actionsByKind, type ErrorAction, retryAfterOf } from '../../src/kinds/error-actions.ts'
import { networkKinds } from '../../src/kinds/index.ts'
import { starknet } from '../../src/kinds/starknet.ts'

function call(method: string, params = '[]'): RpcRequest {
  return { method, params: rawJsonFromText(params), notification: false }
}

const { evm, rollup } = networkKinds
const error = (code: number, message: string): RpcErrorObject => ({ code, message })

// The words of nodes and providers; `evm-types` has their sources.
const said: readonly (readonly [who: string, action: ErrorAction, code: number, message: string])[] = [
  ['geth', 'final', 3, 'execution reverted: missing trie node'],
  ['geth', 'final', -32000, 'execution reverted'],
  ['geth', 'final', -32000, 'invalid opcode: INVALID'],
  ['geth', 'final', -32000, 'out of gas'],
  ['geth', 'final', -32602, 'missing value for required argument 0'],
  ['geth', 'final', -32000, 'filter not found'],
  ['geth', 'lagging', -32000, 'header not found'],
  ['geth', 'pruned', -32000, 'missing trie node 3f5a (path ) state 0x3f5a is not available'],
  ['geth', 'pruned', 4444, 'pruned history unavailable'],
  ['geth', 'range', -32602, 'exceed maximum block range 10000'],
  ['geth', 'range', -32003, 'response too large'],
  ['geth', 'range', -32600, 'batch too large'],
  ['geth', 'next', -32002, 'request timed out'],
  ['geth', 'next', -32000, 'execution aborted (timeout = 5s)'],
  ['geth', 'next', -32603, 'method handler crashed'],
  ['geth', 'remember', -32601, 'the method trace_block does not exist/is not available'],
  ['erigon', 'pruned', -32000, 'old data not available due to pruning'],
  ['erigon', 'lagging', -32000, 'block 3f5a not found'],
  ['erigon', 'next', -32000, 'block 100 exists but transaction indexing is not yet complete, please try again later'],
  ['nethermind', 'final', -32015, 'VM execution error.'],
  ['nethermind', 'pruned', -32002, 'No state available for block 0x1b4'],
  ['nethermind', 'lagging', -32001, 'header not found'],
  ['nethermind', 'hold_off', -32005, 'Too many requests'],
  ['nethermind', 'next', -32017, 'Timeout'],
  ['nethermind', 'next', -32603, 'Internal error'],
  ['nethermind', 'range', -32005, 'Too many logs requested. Max logs per response is 20000.'],
  ['reth', 'final', -32000, 'EVM error: InvalidJump'],
  ['reth', 'lagging', -32001, 'block not found: 0x1b4'],
  ['reth', 'pruned', -32603, 'state at block #100 is pruned'],
  ['reth', 'range', -32602, 'query exceeds max results 20000, retry with the range 1-2'],
  ['reth', 'next', -32603, 'internal eth error'],
  ['besu', 'final', -32000, 'Execution reverted'],
  ['besu', 'lagging', -39001, 'Unknown block'],
  ['besu', 'pruned', -32000, 'World state unavailable'],
  ['besu', 'range', -32005, 'Requested range exceeds maximum RPC range limit'],
  ['besu', 'next', -32603, 'Timeout expired'],
  ['besu', 'next', -32603, 'Internal error'],
  ['besu', 'remember', -32604, 'Method not enabled'],
  ['Alchemy', 'hold_off', 429, 'Your app has exceeded its compute units per second capacity.'],
  ['Alchemy', 'quota', -32600, 'Monthly capacity limit exceeded.'],
  ['Alchemy', 'quota', -32600, 'Must be authenticated!'],
  ['Alchemy', 'next', -32001, 'Unable to complete request at this time.'],
  ['Alchemy', 'lagging', 3, 'Unknown block'],
  ['Infura', 'quota', -32005, 'daily request count exceeded, request rate limited'],
  ['Infura', 'hold_off', -32005, 'project ID request rate exceeded'],
  ['Infura', 'range', -32005, 'query returned more than 10000 results'],
  ['QuickNode', 'hold_off', -32007, '50/second request limit reached - reduce calls per second'],
  ['QuickNode', 'quota', -32003, 'daily request limit reached - upgrade your account'],
  ['QuickNode', 'range', -32614, 'eth_getLogs is limited to a 10,000 range'],
  ['Ankr', 'quota', -32052, 'API key is not allowed to access blockchain'],
  ['dRPC', 'range', 35, 'ranges over 10000 blocks are not supported on freetier'],
  ['dRPC', 'next', 1, 'no available upstreams to process a request'],
  ['dRPC', 'next', 19, 'Temporary internal error. Please retry'],
]

it.each(said)('%s: %s after %i %s', (_, action, code, message) => {
  expect(evm.actionOf(call('eth_call'), error(code, message))).toBe(action)
  expect(rollup.actionOf(call('eth_call'), error(code, message))).toBe(action)
})

it('every kind of error has its action', () => {
  for (const { kind } of nodeWordings) expect(actionsByKind).toHaveProperty(kind)
})

it('a limit that is not named is one of ranges where a call has one, else one of rates', () => {
  const limit = error(-32005, 'limit exceeded')
  expect(evm.actionOf(call('eth_getLogs'), limit)).toBe('range')
  expect(evm.actionOf(call('trace_filter'), limit)).toBe('range')
  expect(evm.actionOf(call('eth_getBalance'), limit)).toBe('hold_off')
})

it('a write goes elsewhere only after an error that shows that nothing was done', () => {
  const write = (code: number, message: string): ErrorAction =>
    evm.actionOf(call('eth_sendRawTransaction'), error(code, message))
  expect(write(-32603, 'Internal error')).toBe('final')
  expect(write(-32002, 'request timed out')).toBe('final')
  expect(write(-32000, "failed to forward tx to sequencer, please try again. Error message: 'EOF'")).toBe('final')
  expect(write(-32000, 'already known')).toBe('final')
  expect(write(-32000, 'nonce too low')).toBe('final')
  expect(write(-32000, 'insufficient funds for gas * price + value')).toBe('final')
  expect(write(-32000, 'txpool is full')).toBe('next')
  expect(write(429, 'Too Many Requests')).toBe('hold_off')
  expect(write(-32005, 'daily request count exceeded, request rate limited')).toBe('quota')
  const signed = call('eth_sendRawTransaction', '["0x02f8"]')
  expect(evm.actionOf(signed, error(-32603, 'Internal error'))).toBe('next')
  expect(evm.actionOf(signed, error(-32000, 'nonce too low'))).toBe('final')
  expect(write(-32601, 'the method eth_sendRawTransaction does not exist/is not available')).toBe('remember')
  // A method in no table counts as a write.
  expect(evm.actionOf(call('wayleave_new'), error(-32603, 'Internal error'))).toBe('final')
  expect(evm.actionOf(call('constructor'), error(-32603, 'Internal error'))).toBe('final')
})

it.each<[code: number, message: string, method: string, action: ErrorAction]>([
  [24, 'Block not found', 'starknet_call', 'lagging'],
  [32, 'There are no blocks', 'starknet_blockNumber', 'lagging'],
  [42, "the node doesn't support storage proofs", 'starknet_getStorageProof', 'pruned'],
  [31, 'Requested page size is too big', 'starknet_getEvents', 'range'],
  [34, 'Too many keys provided in a filter', 'starknet_getEvents', 'range'],
  [20, 'Contract not found', 'starknet_call', 'final'],
  [28, 'Class hash not found', 'starknet_getClass', 'final'],
  [29, 'Transaction hash not found', 'starknet_getTransactionReceipt', 'final'],
  [40, 'Contract error', 'starknet_call', 'final'],
  [41, 'Transaction execution error', 'starknet_estimateFee', 'final'],
  [52, 'Invalid transaction nonce', 'starknet_addInvokeTransaction', 'final'],
  [59, 'A transaction with the same hash already exists in the mempool', 'starknet_addInvokeTransaction', 'final'],
  [63, 'An unexpected error occurred', 'starknet_addInvokeTransaction', 'final'],
  // Its data may be any text of the gateway of Starknet.
  [55, 'rate limit exceeded', 'starknet_addInvokeTransaction', 'final'],
  [-32603, 'Internal error', 'starknet_call', 'next'],
  [-32603, 'Internal error', 'starknet_addInvokeTransaction', 'final'],
  [-32601, 'Method not found', 'starknet_call', 'remember'],
  [-32602, 'Invalid params', 'starknet_call', 'final'],
  [-32001, 'Unable to complete request at this time.', 'starknet_call', 'next'],
  [-32600, 'Monthly capacity limit exceeded.', 'starknet_call', 'quota'],
  [429, 'Too Many Requests', 'starknet_addInvokeTransaction', 'hold_off'],
  [-32005, 'limit exceeded', 'starknet_getEvents', 'range'],
  [-32005, 'limit exceeded', 'starknet_call', 'hold_off'],
])('Starknet: %i %s of %s: %s', (code, message, method, action) => {
  expect(starknet.actionOf(call(method), error(code, message))).toBe(action)
})

it.each<[ms: number | undefined, message: string, data: unknown]>([
  // Infura.
  [30_000, 'project ID request rate exceeded', { rate: { allowed_rps: 1, backoff_seconds: 30, current_rps: 1.3 } }],
  [1_500, 'exceeded project rate limit', { rate: { backoff_seconds: 1.5 } }],
  // MegaETH.
  [12_000, 'over compute unit limit, retry in 12 seconds', undefined],
  [1_000, 'over network traffic limit, retry in 1 second', undefined],
  // A node does not say for how long it is left alone beyond an hour.
  [3_600_000, 'exceeded project rate limit', { rate: { backoff_seconds: 1e12 } }],
  [3_600_000, `retry in ${'9'.repeat(400)} seconds`, undefined],
  [undefined, 'daily request count exceeded, request rate limited', { rate: { backoff_seconds: 0 } }],
  [undefined, 'Too Many Requests', { rate: { backoff_seconds: '30' } }],
  [undefined, 'Too Many Requests', { rate: { backoff_seconds: -1 } }],
  [undefined, 'Too Many Requests', { rate: null }],
  [undefined, 'Too Many Requests', 'later'],
  [undefined, 'retry in a moment', null],
  [undefined, 'query exceeds max results 20000, retry with the range 1-2', undefined],
])('waits %s ms after %s with %j', (ms, message, data) => {
  expect(retryAfterOf({ code: 429, message, data })).toBe(ms)
})
