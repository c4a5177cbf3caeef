import { readFileSync } from 'node:fs'
import { assert, integer, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { classifyNodeError, type NodeError, type NodeErrorKind, nodeWordings } from '../src/index.ts'
import { recorded } from './recorded.ts'

const refused = JSON.parse(
  readFileSync(new URL('./vectors/refused-transactions.json', import.meta.url), 'utf8'),
) as Readonly<Record<'geth' | 'others' | 'alreadyKnown', readonly NodeError[]>>
const ranges = JSON.parse(readFileSync(new URL('./vectors/refused-ranges.json', import.meta.url), 'utf8')) as {
  readonly cases: readonly { readonly error?: NodeError }[]
}
const anvil = JSON.parse(readFileSync(new URL('./vectors/anvil-errors.json', import.meta.url), 'utf8')) as {
  cases: readonly { readonly id: NodeErrorKind; readonly error: NodeError }[]
}

test.each(anvil.cases)('what anvil says: $error.message ($error.code)', ({ id, error }) => {
  expect(classifyNodeError(error)).toBe(id)
})

// A contract's own words in a revert are not the node's.
test.each<[node: string, code: number, message: string]>([
  ['geth', -32000, 'execution reverted: nonce too low'],
  ['geth', 3, 'execution reverted: already known'],
  ['ganache, moonbeam', -32000, 'VM Exception while processing transaction: revert nonce too low'],
  ['rsk', -32015, 'VM Exception while processing transaction: transaction reverted, insufficient funds'],
  ['hardhat', -32603, "Error: VM Exception while processing transaction: reverted with reason string 'already known'"],
  [
    'hardhat',
    -32603,
    "VM Exception while processing transaction: reverted with custom error 'InsufficientBalance(1, 2)'",
  ],
  ['hardhat', -32603, 'VM Exception while processing transaction: reverted with panic code 0x11 (out of gas)'],
  ['conflux', -32015, "Transaction reverted: VM reverted, reason 'nonce too low'"],
  ['filecoin', 1, 'message execution failed (exit=[33], revert reason=[Error(already known)], vm error=[…])'],
  ['hedera', 3, '[Request ID: 1] CONTRACT_REVERT_EXECUTED: nonce too low'],
  ['hedera', -32008, 'execution reverted: CONTRACT_REVERT_EXECUTED'],
  ['tron', -32000, 'REVERT opcode executed: insufficient balance'],
  ['nethermind', -32015, 'reverted: OldNonce'],
])('a revert is one whatever its reason says: %s', (_, code, message) => {
  expect(classifyNodeError({ code, message })).toBe('reverted')
})

test.each([undefined, null, 7, {}])('an error whose message is %j is told by its code', (message) => {
  const error: unknown = { code: -32005, message }
  expect(classifyNodeError(error as NodeError)).toBe('limit_exceeded')
})

test('an unknown block under the code of reverts is one, and no other words make it less than a revert', () => {
  // Alchemy answers reads near the head so.
  expect(classifyNodeError({ code: 3, message: 'Unknown block' })).toBe('unknown_block')
  expect(classifyNodeError({ code: 3, message: 'rate limit exceeded' })).toBe('reverted')
})

test('a method that is not there is that, whatever the caller named it', () => {
  const message = 'the method eth_already known does not exist/is not available'
  expect(classifyNodeError({ code: -32601, message })).toBe('method_not_found')
})

// Messages as the named sources word them, with the numbers that nodes put in.
const said: readonly (readonly [node: string, kind: NodeErrorKind, code: number, message: string])[] = [
  ['geth', 'already_known', -32000, 'already known'],
  ['geth before 1.9', 'already_known', -32000, 'known transaction: 3f5a…'],
  ['erigon', 'already_known', -32000, 'existing tx with same hash'],
  ['erigon', 'already_known', -32000, 'ALREADY_EXISTS: already known'],
  ['nethermind before 2026', 'already_known', -32010, 'AlreadyKnown'],
  ['besu', 'already_known', -32000, 'Known transaction'],
  ['openethereum', 'already_known', -32010, 'Transaction with the same hash was already imported.'],
  ['substrate', 'already_known', -32603, 'submit transaction to pool failed: Pool(AlreadyImported)'],
  ['geth', 'nonce_too_low', -32000, 'nonce too low: address 0x…, tx: 3 state: 5'],
  ['nethermind before 2026', 'nonce_too_low', -32010, 'OldNonce, Current nonce: 5, nonce of rejected tx: 3'],
  ['besu', 'nonce_too_low', -32001, 'Nonce too low'],
  ['openethereum', 'nonce_too_low', -32010, 'Transaction nonce is too low. Try incrementing the nonce.'],
  ['geth', 'nonce_too_high', -32000, 'nonce too high: address 0x…, tx: 999 state: 0'],
  ['nethermind before 2026', 'nonce_too_high', -32010, 'NonceGap, Future nonce. Expected nonce: 7'],
  ['geth', 'replacement_underpriced', -32000, 'replacement transaction underpriced'],
  ['besu', 'replacement_underpriced', -32000, 'Replacement transaction underpriced'],
  ['erigon', 'replacement_underpriced', -32000, 'could not replace existing tx'],
  [
    'openethereum',
    'replacement_underpriced',
    -32010,
    'Transaction gas price 1wei is too low. There is another transaction with same nonce in the queue with gas price: 2wei.',
  ],
  ['geth', 'underpriced', -32000, 'transaction underpriced: tip needed 1, tip permitted 0'],
  ['geth', 'underpriced', -32000, 'max fee per gas less than block base fee: address 0x…, maxFeePerGas: 1, baseFee: 7'],
  ['erigon', 'underpriced', -32000, 'fee too low'],
  ['nethermind before 2026', 'underpriced', -32010, 'FeeTooLowToCompete'],
  ['besu', 'underpriced', -32009, 'Gas price below configured minimum gas price'],
  [
    'geth',
    'insufficient_funds',
    -32000,
    'insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000',
  ],
  [
    'nethermind before 2026',
    'insufficient_funds',
    -32010,
    'InsufficientFunds, Account balance: 0, cumulative cost: 21000',
  ],
  ['besu', 'insufficient_funds', -32004, 'Upfront cost exceeds account balance'],
  ['geth', 'intrinsic_gas_too_low', -32000, 'intrinsic gas too low: gas 0, minimum needed 21000'],
  ['besu', 'intrinsic_gas_too_low', -32003, 'Intrinsic gas exceeds gas limit'],
  ['geth', 'gas_limit_exceeded', -32000, 'exceeds block gas limit'],
  ['besu', 'gas_limit_exceeded', -32005, 'Transaction gas limit exceeds block gas limit'],
  ['geth', 'gas_limit_exceeded', -32000, 'gas required exceeds allowance (30000000)'],
  ['geth', 'pool_full', -32000, 'txpool is full'],
  ['erigon', 'pool_full', -32000, 'pending sub-pool is full'],
  ['geth', 'unknown_block', -32000, 'header not found'],
  ['geth', 'unknown_block', -32000, 'header for hash not found'],
  ['geth', 'unknown_block', -32000, 'safe block not found'],
  ['geth', 'unknown_block', -39001, 'Unknown block'],
  ['geth', 'unknown_block', -32000, 'hash is not currently canonical'],
  ['besu', 'unknown_block', -32000, 'Block not found'],
  ['reth', 'unknown_block', -32001, 'block not found: 0x1b4'],
  ['geth', 'state_unavailable', -32000, 'missing trie node 3f5a (path ) state 0x3f5a is not available'],
  ['geth', 'state_unavailable', 4444, 'pruned history unavailable'],
  ['besu', 'state_unavailable', -32000, 'World state unavailable'],
  ['geth', 'reverted', -32000, 'execution reverted: ERC20: transfer amount exceeds balance'],
  ['openethereum', 'reverted', -32015, 'VM execution error.'],
  ['geth', 'out_of_gas', -32000, 'out of gas'],
  ['geth', 'response_too_large', -32003, 'response too large'],
  ['geth', 'timeout', -32002, 'request timed out'],
  ['geth', 'timeout', -32000, 'execution aborted (timeout = 5s)'],
  ['geth', 'method_not_found', -32601, 'the method eth_nosuch does not exist/is not available'],
  ['geth', 'invalid_params', -32602, 'missing value for required argument 0'],
  ['geth', 'invalid_transaction', -32000, 'transaction type not supported'],
  ['geth', 'invalid_transaction', -32000, 'invalid sender'],
  ['geth', 'invalid_transaction', -32000, 'only replay-protected (EIP-155) transactions allowed over RPC'],
  ['geth', 'invalid_transaction', -32000, 'max priority fee per gas higher than max fee per gas: address 0x…'],
  ['geth', 'invalid_transaction', -32000, 'tx fee (2.10 ether) exceeds the configured cap (1.00 ether)'],
  ['geth', 'invalid_transaction', -32000, 'gas uint64 overflow'],
  ['geth', 'invalid_transaction', -32000, 'sender not an eoa: address 0x…, len(code): 23'],
  ['geth', 'underpriced', -32000, 'max fee per blob gas less than block blob gas fee: address 0x… blobGasFeeCap: 1'],
  ['geth', 'sender_limited', -32000, 'account limit exceeded: pooled 64 txs'],
  ['geth', 'unavailable', -32000, 'transaction indexing is in progress'],
  ['geth', 'nonce_too_low', -38010, 'nonce too low: address 0x…, tx: 0 state: 1'],
  ['erigon', 'already_known', -32000, 'existing txn with same hash'],
  ['erigon', 'invalid_transaction', -32000, 'blob transactions must have at least one blob'],
  ['erigon', 'invalid_transaction', -32000, 'initcode too large'],
  ['erigon', 'pool_full', -32000, 'blobs limit in txpool is full'],
  ['nethermind', 'already_known', -32010, 'already known'],
  ['nethermind', 'nonce_too_high', -32010, 'nonce too far in future'],
  [
    'nethermind',
    'gas_limit_exceeded',
    -32010,
    'gas limit reached, Gas limit: 30000000, gas limit of rejected tx: 40000000',
  ],
  ['nethermind', 'invalid_transaction', -32010, 'transaction invalid'],
  ['nethermind', 'invalid_transaction', -32010, 'failed to recover sender'],
  ['nethermind', 'unavailable', -32010, 'node is syncing'],
  ['nethermind', 'state_unavailable', -32002, 'No state available for block 0x1b4'],
  ['reth', 'replacement_underpriced', -32003, 'insufficient gas price to replace existing transaction'],
  ['reth', 'gas_limit_exceeded', -32003, 'exceeds max transaction gas limit'],
  ['reth', 'gas_limit_exceeded', -32003, "transaction's gas limit 40000000 exceeds block's gas limit 30000000"],
  ['reth', 'pool_full', -32003, 'transaction discarded outright due to pool size constraints'],
  ['reth', 'insufficient_funds', -32003, 'transaction overdraws from account'],
  ['reth', 'underpriced', -32003, 'transaction priority fee below minimum required priority fee 1'],
  ['reth', 'invalid_transaction', -32602, 'failed to decode signed transaction'],
  ['reth', 'invalid_transaction', -32000, 'invalid chain ID'],
  ['reth', 'state_unavailable', -32602, 'distance to target block exceeds maximum proof window'],
  ['reth', 'timeout', 4, "Transaction 0x… was added to the mempool but wasn't confirmed within 30s."],
  [
    'EIP-7966',
    'nonce_too_high',
    5,
    "The transaction was added to the mempool but wasn't processed due to a missing nonce or insufficient funds. Please double-check your account and try again.",
  ],
  ['EIP-7966', 'timeout', 4, "The transaction was added to the mempool but wasn't processed in 2s."],
  ['reth', 'out_of_gas', -32003, 'out of gas: gas required exceeds: 21000'],
  ['besu', 'unavailable', -32008, 'Initial sync is still in progress'],
  [
    'besu',
    'unavailable',
    -32002,
    'Transaction pool not enabled. (Either txpool explicitly disabled, or node not yet in sync).',
  ],
  ['besu', 'nonce_too_high', -32000, 'Transaction nonce is too distant from current sender nonce'],
  ['besu', 'underpriced', -32009, 'blob gas price below current blob base fee'],
  ['besu', 'invalid_transaction', -32000, 'Wrong chainId'],
  ['besu', 'invalid_transaction', -32002, 'Invalid signature'],
  ['besu', 'invalid_transaction', -32000, 'Max priority fee per gas exceeds max fee per gas'],
  ['besu', 'range_too_large', -32005, 'Requested range exceeds maximum RPC range limit'],
  ['besu', 'batch_too_large', -32005, 'Number of requests exceeds max batch size'],
  ['besu', 'gas_limit_exceeded', -32005, 'Transaction gas limit cap exceeded'],
  ['besu', 'internal', -32603, 'Unknown internal error'],
  ['besu', 'unauthorized', -40100, 'Unauthorized'],
  ['besu', 'execution_failed', -32000, 'Transaction processing could not be completed due to an exception'],
  ['besu', 'timeout', -32603, 'Timeout expired'],
  ['besu', 'method_not_found', -32604, 'Method not enabled'],
  ['besu', 'unknown_block', -39001, 'Unknown block'],
  [
    'op-geth',
    'nonce_too_low',
    -32000,
    "failed to forward tx to sequencer, please try again. Error message: 'nonce too low: next nonce 80, tx nonce 74'",
  ],
  ['op-geth', 'unavailable', -32000, "failed to forward tx to sequencer, please try again. Error message: 'EOF'"],
  ['op-geth', 'state_unavailable', -32000, 'no historical RPC is available for this historical (pre-bedrock) request'],
  ['geth', 'unknown', -32000, 'filter not found'],
  ['reth', 'range_too_large', -32602, 'query exceeds max block range 100000'],
  ['reth', 'range_too_large', -32602, 'query exceeds max results 20000, retry with the range 1-2'],
  ['reth', 'response_too_large', -32008, 'Response is too big'],
  ['reth', 'batch_too_large', -32010, 'The batch request was too large'],
  ['reth', 'state_unavailable', -32603, 'state at block #100 is pruned'],
  ['reth', 'state_unavailable', -32603, 'no state found for block number 100'],
  [
    'reth',
    'state_unavailable',
    -32603,
    'block #100 is not available, history has expired (earliest available: #15537394)',
  ],
  [
    'reth',
    'unknown_block',
    -32603,
    'state at block #100 is not available, block has not been executed yet (latest executed: #98)',
  ],
  ['reth', 'unknown_block', -32602, 'request beyond head block: requested 100, head 98'],
  ['reth', 'unknown_block', -32603, 'finalized block does not exist'],
  ['reth', 'execution_failed', -32000, 'EVM error: InvalidJump'],
  ['reth', 'internal', -32603, 'internal eth error'],
  ['geth', 'range_too_large', -32602, 'exceed maximum block range 10000'],
  ['geth', 'range_too_large', -32000, 'exceed max addresses or topics per search position'],
  ['geth', 'batch_too_large', -32600, 'batch too large'],
  ['geth', 'state_unavailable', -32000, 'historical state 3f5a is not available'],
  ['geth', 'state_unavailable', -32000, 'state 0x3f5a is not available'],
  ['geth', 'state_unavailable', -32000, 'required historical state unavailable (reexec=128)'],
  ['geth', 'state_unavailable', -32000, "state histories haven't been fully indexed yet"],
  ['geth', 'state_unavailable', -32000, '[0x3f5a] layer stale'],
  ['geth', 'unknown_block', -32000, 'request beyond head block: requested 100, head 98'],
  ['geth', 'unknown_block', -32000, 'pending block is not available'],
  ['geth', 'execution_failed', -32000, 'invalid opcode: INVALID'],
  ['geth', 'execution_failed', -32000, 'stack underflow (0 <=> 1)'],
  ['geth', 'execution_failed', -32000, 'err: max code size exceeded (supplied gas 30000000)'],
  ['geth', 'internal', -32603, 'method handler crashed'],
  ['geth', 'invalid_params', -32602, 'invalid block range params'],
  ['erigon', 'unknown_block', -32000, 'block 3f5a not found'],
  ['erigon', 'unknown_block', -32603, 'hash 3f5a is not currently canonical'],
  ['erigon', 'unknown_block', -32000, 'No finalized block'],
  ['erigon', 'state_unavailable', -32000, 'old data not available due to pruning'],
  [
    'erigon',
    'unavailable',
    -32000,
    'block 100 exists but transaction indexing is not yet complete, please try again later',
  ],
  ['erigon', 'timeout', -32000, 'execution aborted (timeout = 5s)'],
  [
    'erigon',
    'batch_too_large',
    -32600,
    'batch limit 100 exceeded (can increase by --rpc.batch.limit). Requested batch of size: 200',
  ],
  ['nethermind', 'unknown_block', -32001, 'header not found'],
  ['nethermind', 'unknown_block', -39001, 'Unknown block error'],
  ['nethermind', 'unknown_block', -32000, '0x3f5a block is not canonical'],
  ['nethermind', 'state_unavailable', 4444, 'Pruned history unavailable for block 100'],
  ['nethermind', 'range_too_large', -32005, 'Too many logs requested. Max logs per response is 20000.'],
  ['nethermind', 'rate_limited', -32005, 'Too many requests'],
  ['nethermind', 'timeout', -32017, 'Timeout'],
  ['nethermind', 'internal', -32603, 'Internal error'],
  [
    'Alchemy',
    'rate_limited',
    429,
    'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message.',
  ],
  [
    'Alchemy',
    'quota_exceeded',
    -32600,
    'Monthly capacity limit exceeded. Visit https://dashboard.alchemy.com/settings/billing to upgrade your scaling policy for continued service.',
  ],
  [
    'Alchemy',
    'range_too_large',
    -32600,
    'You can make eth_getLogs requests with up to a 500 block range. Based on your parameters, this block range should work: [0x7e9b85, 0x7e9d78]',
  ],
  ['Alchemy', 'range_too_large', -32602, 'Log response size exceeded. Please reduce query block range.'],
  ['Alchemy', 'unavailable', -32001, 'Unable to complete request at this time.'],
  ['Alchemy', 'unauthorized', -32600, 'Must be authenticated!'],
  ['a service', 'method_not_found', -32000, 'Unsupported method'],
  ['Infura', 'quota_exceeded', -32005, 'daily request count exceeded, request rate limited'],
  ['Infura', 'quota_exceeded', 402, 'Payment Required'],
  ['Infura', 'rate_limited', -32005, 'project ID request rate exceeded'],
  ['Infura', 'rate_limited', -32005, 'exceeded project rate limit'],
  ['Infura', 'rate_limited', 429, 'Too Many Requests'],
  ['Infura', 'range_too_large', -32005, 'query returned more than 10000 results'],
  ['Infura', 'range_too_large', -32602, 'range 1000000 exceeds limit of 10000'],
  ['Conduit', 'range_too_large', -32012, 'requested range too large'],
  ['Infura', 'range_too_large', -32602, 'This query contains 5006 filters. The current limit is 5000.'],
  [
    'QuickNode',
    'rate_limited',
    -32007,
    '50/second request limit reached - reduce calls per second or upgrade your account at quicknode.com',
  ],
  ['QuickNode', 'rate_limited', -32012, 'credits limited to 6000/sec'],
  [
    'QuickNode',
    'rate_limited',
    429,
    'The requests per second (RPS) of your requests are higher than your plan allows.',
  ],
  ['QuickNode', 'quota_exceeded', -32003, 'daily request limit reached - upgrade your account'],
  ['QuickNode', 'range_too_large', -32614, 'eth_getLogs is limited to a 10,000 range'],
  ['a service', 'range_too_large', -32602, 'eth_getLogs is limited to 0 - 50 blocks range'],
  ['Ankr', 'rate_limited', -31999, 'rate limit exceeded'],
  ['Ankr', 'range_too_large', -32600, 'block range is too wide'],
  ['Ankr', 'range_too_large', -32602, 'maximum [from, to] blocks distance: 10000'],
  [
    'Ankr',
    'unauthorized',
    -32052,
    'message: API key is not allowed to access blockchain, json-rpc code: -32052, rest code: 403',
  ],
  ['dRPC', 'range_too_large', 35, 'ranges over 10000 blocks are not supported on freetier'],
  ['dRPC', 'timeout', 30, 'Request timeout on the free tier, please upgrade your tier to the paid one'],
  ['dRPC', 'unavailable', 1, 'no available upstreams to process a request'],
  ['dRPC', 'unavailable', 19, 'Temporary internal error. Please retry, trace-id: db921db5'],
  [
    'dRPC',
    'state_unavailable',
    1,
    'no available upstreams to process a request. Cause - a-1 - Upstream lower height 42810022 of type RECEIPTS is greater than 35662252',
  ],
  [
    'dRPC',
    'unknown_block',
    1,
    'no available upstreams to process a request. Cause - a-1 - Upstream height 75651020 is less than 75651022',
  ],
  ['dRPC', 'internal', 500, 'internal server error'],
  [
    'Chainstack',
    'state_unavailable',
    -32002,
    'Archive, Debug and Trace requests are not available on your current plan.',
  ],
  ['Chainstack', 'rate_limited', -32005, "You've exceeded the RPS limit available on the current plan."],
  ['Chainstack', 'range_too_large', -32602, 'Block range limit exceeded.'],
  ['Blast', 'range_too_large', -32602, 'exceeds the range allowed for your plan (20000 > 10000)'],
  ['Cloudflare', 'range_too_large', -32047, 'Max range: 800'],
  ['Avalanche', 'range_too_large', -32000, 'requested too many blocks from 1 to 9999, maximum is set to 2048'],
  ['Arbitrum', 'range_too_large', -32000, 'logs matched by query exceeds limit of 10000'],
  ['Base', 'unavailable', -32011, 'no backend is currently healthy to serve traffic'],
  ['Optimism', 'response_too_large', -32020, 'backend response too large'],
  ['BSC', 'limit_exceeded', -32005, 'limit exceeded'],
  ['besu', 'invalid_transaction', -32602, 'Invalid transaction type'],
  ['besu', 'invalid_params', -32602, 'Invalid transaction hash params'],
  ['geth', 'gas_limit_exceeded', -38015, 'block gas limit reached: 30000000 >= 30000000'],
  ['geth', 'range_too_large', -38026, 'too many blocks'],
  ['nethermind', 'replacement_underpriced', -32010, 'ReplacementNotAllowed'],
  ['cosmos', 'already_known', -32000, 'tx already in mempool'],
]

test.each(said)('what %s says: %s', (_, kind, code, message) => {
  expect(classifyNodeError({ code, message })).toBe(kind)
})

// EIP-1474 and execution-apis; statuses of HTTP where services repeat them inside.
test.each([
  [-38010, 'nonce_too_low'],
  [-38011, 'nonce_too_high'],
  [-38012, 'underpriced'],
  [-38013, 'intrinsic_gas_too_low'],
  [-38014, 'insufficient_funds'],
  [-38015, 'gas_limit_exceeded'],
  [-38024, 'invalid_transaction'],
  [-38025, 'invalid_transaction'],
  [-38026, 'range_too_large'],
  [-32603, 'internal'],
  [500, 'internal'],
  [429, 'rate_limited'],
  [402, 'quota_exceeded'],
  [401, 'unauthorized'],
  [403, 'unauthorized'],
  [408, 'timeout'],
  [-32004, 'method_not_found'],
  [-39001, 'unknown_block'],
  [4444, 'state_unavailable'],
  [4445, 'state_unavailable'],
] as const)('the code %i means %s in whichever words', (code, kind) => {
  expect(classifyNodeError({ code, message: 'no' })).toBe(kind)
})

test('an unknown transaction is no known one, and a revert is one whatever its reason says', () => {
  expect(classifyNodeError({ code: -32000, message: 'unknown transaction' })).toBe('unknown')
  expect(classifyNodeError({ code: 3, message: 'execution reverted: already known' })).toBe('reverted')
  expect(classifyNodeError({ code: -32000, message: 'execution reverted: nonce too low' })).toBe('reverted')
})

test('the recorded errors of go-ethereum are classified', () => {
  const kinds = recorded('execution-apis-exchanges.json').flatMap(({ answer: { error } }) =>
    error === undefined ? [] : [`${classifyNodeError(error)}: ${error.message.slice(0, 32)}`],
  )
  expect(kinds).toContain('unknown_block: block 0x000000000000000000000000')
  expect(kinds).toContain('unknown_block: block range extends beyond curre')
  expect(kinds).toContain('reverted: execution reverted: user error')
  expect(kinds.filter((kind) => kind.startsWith('unknown:'))).toEqual([
    'unknown: genesis is not traceable',
    'unknown: genesis is not traceable',
    'unknown: transaction not found',
  ])
})

test('every row of the table is the first to know some message, and names its source', () => {
  const { geth, others, alreadyKnown } = refused
  const ofRanges = ranges.cases.flatMap(({ error }) => error ?? [])
  const errors = [...anvil.cases.map(({ error }) => error), ...geth, ...others, ...alreadyKnown, ...ofRanges]
  const messages = [...said.map(([, , , message]) => message), ...errors.map(({ message }) => message)]
  const first = new Set(messages.map((message) => nodeWordings.find(({ pattern }) => pattern.test(message))))
  for (const row of nodeWordings) {
    expect(first, String(row.pattern)).toContain(row)
    expect(row.source).toMatch(/\w/)
    // A pattern with a state would answer differently the second time.
    expect(row.pattern.flags).not.toMatch(/[gy]/)
  }
})

test('never throws, and a message of any length is read in no time', () => {
  assert(
    property(integer(), string(), (code, message) => {
      expect(typeof classifyNodeError({ code, message })).toBe('string')
    }),
  )
  for (const filler of ['a', ' ', 'block ', 'method ', 'exceeds the ']) {
    expect(classifyNodeError({ code: 0, message: `${filler.repeat(1_000_000)}already known` })).toBe('unknown')
  }
})
