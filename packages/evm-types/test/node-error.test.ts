import { readFileSync } from 'node:fs'
import { assert, integer, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { classifyNodeError, type NodeError, type NodeErrorKind, nodeWordings } from '../src/index.ts'
import { recorded } from './recorded.ts'

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
  ['a service', 'limit_exceeded', -32005, 'query returned more than 10000 results'],
  ['a service', 'limit_exceeded', -32602, 'range 20000 exceeds limit of 10000'],
  ['a service', 'limit_exceeded', 429, 'daily request count exceeded, request rate limited'],
  ['geth', 'limit_exceeded', -32003, 'response too large'],
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
  ['geth', 'pool_full', -32000, 'account limit exceeded: pooled 64 txs'],
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
  ['besu', 'limit_exceeded', -32005, 'Requested range exceeds maximum RPC range limit'],
  ['besu', 'limit_exceeded', -32005, 'Number of requests exceeds max batch size'],
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
  ['reth', 'limit_exceeded', -32602, 'query exceeds max block range 100000'],
  ['a service', 'limit_exceeded', -32000, 'block range is too wide'],
  ['besu', 'invalid_transaction', -32602, 'Invalid transaction type'],
  ['besu', 'invalid_params', -32602, 'Invalid transaction hash params'],
  ['geth', 'gas_limit_exceeded', -38015, 'block gas limit reached: 30000000 >= 30000000'],
  ['geth', 'limit_exceeded', -38026, 'too many blocks'],
  ['nethermind', 'replacement_underpriced', -32010, 'ReplacementNotAllowed'],
  ['cosmos', 'already_known', -32000, 'tx already in mempool'],
]

test.each(said)('what %s says: %s', (_, kind, code, message) => {
  expect(classifyNodeError({ code, message })).toBe(kind)
})

test.each([
  [-38010, 'nonce_too_low'],
  [-38011, 'nonce_too_high'],
  [-38012, 'underpriced'],
  [-38013, 'intrinsic_gas_too_low'],
  [-38014, 'insufficient_funds'],
  [-38015, 'gas_limit_exceeded'],
  [-38024, 'invalid_transaction'],
  [-38025, 'invalid_transaction'],
  [-38026, 'limit_exceeded'],
  [-39001, 'unknown_block'],
  [4444, 'state_unavailable'],
  [4445, 'state_unavailable'],
] as const)('the code %i of execution-apis means %s in whichever words', (code, kind) => {
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
  const messages = [...said.map(([, , , message]) => message), ...anvil.cases.map(({ error }) => error.message)]
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
