/**
 * The one table of methods: the facts of each in every version from 0.5.1 to 0.10. `since` holds what changed in a version, by
 * its minor number: 5 for 0.5.1, 10 for 0.10; null: the method is gone. Each version's table takes its facts from here, and so
 * does the adapter. Each method is a constant of its own, so that bundlers drop the ones that are not used.
 * Source: starknet-specs v0.5.1 to v0.10.1, if a row names no other.
 */

export const starknet_specVersion = {
  summary: 'The version of the Starknet RPC that the node answers.',
  effect: 'read',
  since: { 5: { paramNames: [], errors: [] } },
} as const

export const starknet_chainId = {
  summary: 'The chain, as a short string in hex.',
  effect: 'read',
  cache: 'fixed',
  since: { 5: { paramNames: [], errors: [] } },
} as const

export const starknet_blockNumber = {
  summary: 'The number of the last block.',
  effect: 'read',
  cache: 'head',
  since: { 5: { paramNames: [], errors: [32] } },
} as const

export const starknet_blockHashAndNumber = {
  summary: 'The hash and the number of the last block.',
  effect: 'read',
  cache: 'head',
  since: { 5: { paramNames: [], errors: [32] } },
} as const

export const starknet_syncing = {
  summary: 'Whether the node is catching up, and how far it has come.',
  effect: 'read',
  since: { 5: { paramNames: [], errors: [] } },
} as const

// A block changes once more after it was made: when L1 has it. Before, it is not kept for long.
export const starknet_getBlockWithTxHashes = {
  summary: 'A block with the hashes of its transactions.',
  effect: 'read',
  cache: 'head',
  since: { 5: { paramNames: ['block_id'], blockParam: 0, errors: [24] } },
} as const

export const starknet_getBlockWithTxs = {
  summary: 'A block with its transactions.',
  effect: 'read',
  cache: 'head',
  since: {
    5: { paramNames: ['block_id'], blockParam: 0, errors: [24] },
    10: { paramNames: ['block_id', 'response_flags?'] },
  },
} as const

export const starknet_getBlockWithReceipts = {
  summary: 'A block with its transactions and their receipts.',
  effect: 'read',
  cache: 'head',
  since: {
    7: { paramNames: ['block_id'], blockParam: 0, errors: [24] },
    10: { paramNames: ['block_id', 'response_flags?'] },
  },
} as const

export const starknet_getBlockTransactionCount = {
  summary: 'How many transactions a block has.',
  effect: 'read',
  cache: 'block',
  since: { 5: { paramNames: ['block_id'], blockParam: 0, errors: [24] } },
} as const

export const starknet_getStateUpdate = {
  summary: 'What a block changed in the state.',
  effect: 'read',
  cache: 'block',
  since: {
    5: { paramNames: ['block_id'], blockParam: 0, errors: [24] },
    10: { paramNames: ['block_id', 'contract_addresses?'] },
  },
} as const

export const starknet_getStorageAt = {
  summary: 'The value at a key of a contract’s storage; zero where there is none.',
  effect: 'read',
  addressPaths: ['0'],
  cache: 'block',
  since: {
    5: { paramNames: ['contract_address', 'key', 'block_id'], blockParam: 2, errors: [20, 24] },
    10: { paramNames: ['contract_address', 'key', 'block_id', 'response_flags?'] },
  },
} as const

export const starknet_getNonce = {
  summary: 'The nonce of a contract.',
  effect: 'read',
  addressPaths: ['1'],
  cache: 'block',
  since: { 5: { paramNames: ['block_id', 'contract_address'], blockParam: 0, errors: [24, 20] } },
} as const

export const starknet_getClassHashAt = {
  summary: 'The hash of a contract’s class.',
  effect: 'read',
  addressPaths: ['1'],
  cache: 'block',
  since: { 5: { paramNames: ['block_id', 'contract_address'], blockParam: 0, errors: [24, 20] } },
} as const

export const starknet_getClassAt = {
  summary: 'The class of a contract.',
  effect: 'read',
  addressPaths: ['1'],
  cache: 'block',
  since: { 5: { paramNames: ['block_id', 'contract_address'], blockParam: 0, errors: [24, 20] } },
} as const

export const starknet_getClass = {
  summary: 'A class by its hash.',
  effect: 'read',
  cache: 'block',
  since: { 5: { paramNames: ['block_id', 'class_hash'], blockParam: 0, errors: [24, 28] } },
} as const

export const starknet_getStorageProof = {
  summary: 'Paths through the tries of a block’s state.',
  effect: 'read',
  addressPaths: ['2', '3.contract_address'],
  cache: 'block',
  since: {
    8: {
      paramNames: ['block_id', 'class_hashes?', 'contract_addresses?', 'contracts_storage_keys?'],
      blockParam: 0,
      errors: [24, 42],
    },
  },
} as const

export const starknet_getCompiledCasm = {
  summary: 'What a class of Cairo 1 is compiled to.',
  effect: 'read',
  since: { 8: { paramNames: ['class_hash'], errors: [100, 28] } },
} as const

// The content of a transaction follows from its hash; that it is there does not.
export const starknet_getTransactionByHash = {
  summary: 'A transaction by its hash.',
  effect: 'read',
  cache: 'head',
  since: {
    5: { paramNames: ['transaction_hash'], errors: [29] },
    10: { paramNames: ['transaction_hash', 'response_flags?'] },
  },
} as const

export const starknet_getTransactionByBlockIdAndIndex = {
  summary: 'A transaction by its place in a block.',
  effect: 'read',
  cache: 'block',
  since: {
    5: { paramNames: ['block_id', 'index'], blockParam: 0, errors: [24, 27] },
    10: { paramNames: ['block_id', 'index', 'response_flags?'] },
  },
} as const

// The finality of a receipt changes until L1 has its block.
export const starknet_getTransactionReceipt = {
  summary: 'What came of a transaction.',
  effect: 'read',
  cache: 'result',
  since: { 5: { paramNames: ['transaction_hash'], errors: [29] } },
} as const

export const starknet_getTransactionStatus = {
  summary: 'How far a transaction has come.',
  effect: 'read',
  since: { 5: { paramNames: ['transaction_hash'], errors: [29] } },
} as const

export const starknet_getMessagesStatus = {
  summary: 'How far the messages that a transaction on L1 sent have come.',
  effect: 'read',
  since: { 8: { paramNames: ['transaction_hash'], errors: [29] } },
} as const

// Kept by `from_block` and `to_block`. A page that has another one behind it is not: its token is a word of its node.
export const starknet_getEvents = {
  summary: 'A page of events that match a filter.',
  effect: 'read',
  addressPaths: ['0.address'],
  cache: 'range',
  since: { 5: { paramNames: ['filter'], errors: [31, 33, 24, 34] } },
} as const

export const starknet_call = {
  summary: 'What a function of a contract gives, without a transaction.',
  effect: 'read',
  addressPaths: ['0.contract_address'],
  cache: 'block',
  since: {
    5: { paramNames: ['request', 'block_id'], blockParam: 1, errors: [20, 40, 24] },
    8: { errors: [20, 21, 40, 24] },
  },
} as const

// The contracts that an account calls stand in its calldata, in a form of its own: here and in simulations.
export const starknet_estimateFee = {
  summary: 'What transactions would cost, each on the state that the ones before it leave.',
  source: 'Spec §4.9',
  effect: 'read',
  addressPaths: ['0.sender_address', '0.contract_address'],
  cache: 'block',
  since: {
    5: { paramNames: ['request', 'block_id'], blockParam: 1, errors: [20, 40, 24] },
    6: { paramNames: ['request', 'simulation_flags', 'block_id'], blockParam: 2, errors: [41, 24] },
    10: { errors: [41, 24, 20] },
  },
} as const

export const starknet_estimateMessageFee = {
  summary: 'What a message from L1 would cost.',
  effect: 'read',
  addressPaths: ['0.to_address'],
  cache: 'block',
  since: {
    5: { paramNames: ['message', 'block_id'], blockParam: 1, errors: [40, 24] },
    10: { errors: [40, 24, 20] },
  },
} as const

export const starknet_simulateTransactions = {
  summary: 'What transactions would do and cost, each on the state that the ones before it leave.',
  source: 'Spec §4.10',
  effect: 'read',
  addressPaths: ['1.sender_address', '1.contract_address'],
  cache: 'block',
  since: {
    5: { paramNames: ['block_id', 'transactions', 'simulation_flags'], blockParam: 0, errors: [20, 40, 24] },
    6: { errors: [24, 41] },
  },
} as const

// A trace does not tell whether its block is still being built, so it is not kept.
export const starknet_traceTransaction = {
  summary: 'What a transaction did.',
  effect: 'read',
  since: {
    5: { paramNames: ['transaction_hash'], errors: [25, 10] },
    6: { errors: [29, 10] },
  },
} as const

export const starknet_traceBlockTransactions = {
  summary: 'What each transaction of a block did.',
  effect: 'read',
  cache: 'block',
  since: {
    5: { paramNames: ['block_id'], blockParam: 0, errors: [24] },
    10: { paramNames: ['block_id', 'trace_flags?'] },
  },
} as const

export const starknet_addInvokeTransaction = {
  summary: 'Submits a call by an account.',
  effect: 'write',
  addressPaths: ['0.sender_address', '0.contract_address'],
  since: {
    5: { paramNames: ['invoke_transaction'], errors: [54, 53, 52, 55, 58, 59, 61, 63] },
    9: { errors: [54, 53, 52, 55, 58, 59, 61, 63, 64, 65] },
    10: { errors: [54, 53, 52, 55, 58, 59, 61, 63, 64, 65, 69] },
  },
} as const

export const starknet_addDeclareTransaction = {
  summary: 'Submits a class.',
  effect: 'write',
  addressPaths: ['0.sender_address'],
  since: {
    5: { paramNames: ['declare_transaction'], errors: [51, 56, 60, 57, 62, 54, 53, 52, 55, 58, 59, 61, 63] },
    9: { errors: [51, 56, 60, 57, 62, 54, 53, 52, 55, 58, 59, 61, 63, 64, 65] },
  },
} as const

export const starknet_addDeployAccountTransaction = {
  summary: 'Submits an account that deploys itself.',
  effect: 'write',
  since: {
    5: { paramNames: ['deploy_account_transaction'], errors: [28, 54, 53, 52, 55, 58, 59, 61, 63] },
    9: { errors: [28, 54, 53, 52, 55, 58, 59, 61, 63, 64, 65] },
  },
} as const

export const starknet_subscribeNewHeads = {
  summary: 'New headers, from a block on.',
  effect: 'session',
  subscription: {
    unsubscribe: 'starknet_unsubscribe',
    event: 'starknet_subscriptionNewHeads',
    reorg: 'starknet_subscriptionReorg',
  },
  since: { 8: { paramNames: ['block_id?'], errors: [68, 24] } },
} as const

export const starknet_subscribeEvents = {
  summary: 'New events that match a filter.',
  effect: 'session',
  addressPaths: ['0'],
  subscription: {
    unsubscribe: 'starknet_unsubscribe',
    event: 'starknet_subscriptionEvents',
    reorg: 'starknet_subscriptionReorg',
  },
  since: {
    8: { paramNames: ['from_address?', 'keys?', 'block_id?'], errors: [34, 68, 24] },
    9: { paramNames: ['from_address?', 'keys?', 'block_id?', 'finality_status?'] },
  },
} as const

export const starknet_subscribeTransactionStatus = {
  summary: 'How far a transaction has come, at each step.',
  effect: 'session',
  subscription: {
    unsubscribe: 'starknet_unsubscribe',
    event: 'starknet_subscriptionTransactionStatus',
    reorg: 'starknet_subscriptionReorg',
  },
  since: { 8: { paramNames: ['transaction_hash'], errors: [] } },
} as const

export const starknet_subscribePendingTransactions = {
  summary: 'Transactions that come into the pending block.',
  effect: 'session',
  addressPaths: ['1'],
  subscription: { unsubscribe: 'starknet_unsubscribe', event: 'starknet_subscriptionPendingTransactions' },
  since: {
    8: { paramNames: ['transaction_details?', 'sender_address?'], errors: [67] },
    9: null,
  },
} as const

export const starknet_subscribeNewTransactionReceipts = {
  summary: 'New receipts.',
  effect: 'session',
  addressPaths: ['1'],
  subscription: {
    unsubscribe: 'starknet_unsubscribe',
    event: 'starknet_subscriptionNewTransactionReceipts',
    reorg: 'starknet_subscriptionReorg',
  },
  since: { 9: { paramNames: ['finality_status?', 'sender_address?'], errors: [67] } },
} as const

export const starknet_subscribeNewTransactions = {
  summary: 'New transactions.',
  effect: 'session',
  addressPaths: ['1'],
  subscription: {
    unsubscribe: 'starknet_unsubscribe',
    event: 'starknet_subscriptionNewTransaction',
    reorg: 'starknet_subscriptionReorg',
  },
  since: {
    9: { paramNames: ['finality_status?', 'sender_address?'], errors: [67] },
    10: { paramNames: ['finality_status?', 'sender_address?', 'tags?'] },
  },
} as const

export const starknet_unsubscribe = {
  summary: 'Ends a subscription.',
  effect: 'session',
  since: { 8: { paramNames: ['subscription_id'], errors: [66] } },
} as const
