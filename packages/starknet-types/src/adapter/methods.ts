import type { StarknetVersion } from '../versions.ts'
import type { Layout } from './answer.ts'

/** What the adapter knows of a method. */
export interface MethodRow {
  /** Its params in their newest order. */
  readonly params: readonly string[]
  /** The first version with the method, where that is not the oldest. */
  readonly since?: StarknetVersion
  /** The first version with a param, for those that came later than the method; they are lists that may be empty. */
  readonly later?: Readonly<Record<string, StarknetVersion>>
  /** Whether the param at `block_id` may not be the block in the making, from 0.9 on. */
  readonly finalBlock?: true
  /** The param that holds a transaction to be sent or tried out, or a list of them. */
  readonly transactions?: string
  /** Where in the answer the things stand that versions say differently; absent: all say it alike. */
  readonly answer?: Layout
  /** Opens a subscription. */
  readonly session?: true
}

const transaction: Layout = { shape: 'transaction' }
const responseFlags = { response_flags: '0.10' } as const
const traces: Layout = { each: { members: { trace_root: { shape: 'trace' } } } }

/** The methods of all versions. Source: starknet-specs v0.5.1 to v0.10.0 */
export const methods: Readonly<Record<string, MethodRow>> = {
  starknet_specVersion: { params: [] },
  starknet_chainId: { params: [] },
  starknet_blockNumber: { params: [] },
  starknet_blockHashAndNumber: { params: [] },
  starknet_syncing: { params: [] },
  starknet_getBlockWithTxHashes: { params: ['block_id'], answer: { shape: 'block' } },
  starknet_getBlockWithTxs: {
    params: ['block_id', 'response_flags'],
    later: responseFlags,
    answer: { shape: 'block', members: { transactions: { each: transaction } } },
  },
  starknet_getBlockWithReceipts: {
    params: ['block_id', 'response_flags'],
    since: '0.7',
    later: responseFlags,
    answer: {
      shape: 'block',
      members: { transactions: { each: { members: { transaction, receipt: { shape: 'blockReceipt' } } } } },
    },
  },
  starknet_getBlockTransactionCount: { params: ['block_id'] },
  starknet_getStateUpdate: {
    params: ['block_id', 'contract_addresses'],
    later: { contract_addresses: '0.10' },
    answer: { shape: 'stateUpdate' },
  },
  starknet_getStorageAt: {
    params: ['contract_address', 'key', 'block_id', 'response_flags'],
    later: responseFlags,
  },
  starknet_getTransactionStatus: { params: ['transaction_hash'], answer: { shape: 'status' } },
  starknet_getTransactionByHash: {
    params: ['transaction_hash', 'response_flags'],
    later: responseFlags,
    answer: transaction,
  },
  starknet_getTransactionByBlockIdAndIndex: {
    params: ['block_id', 'index', 'response_flags'],
    later: responseFlags,
    answer: transaction,
  },
  starknet_getTransactionReceipt: { params: ['transaction_hash'], answer: { shape: 'receipt' } },
  starknet_getClass: { params: ['block_id', 'class_hash'] },
  starknet_getClassHashAt: { params: ['block_id', 'contract_address'] },
  starknet_getClassAt: { params: ['block_id', 'contract_address'] },
  starknet_getNonce: { params: ['block_id', 'contract_address'] },
  starknet_getEvents: { params: ['filter'], answer: { members: { events: { each: { shape: 'event' } } } } },
  starknet_getMessagesStatus: {
    params: ['transaction_hash'],
    since: '0.8',
    answer: { each: { shape: 'messageStatus' } },
  },
  starknet_getStorageProof: {
    params: ['block_id', 'class_hashes', 'contract_addresses', 'contracts_storage_keys'],
    since: '0.8',
    finalBlock: true,
  },
  starknet_getCompiledCasm: { params: ['class_hash'], since: '0.8' },
  starknet_call: { params: ['request', 'block_id'] },
  starknet_estimateFee: {
    params: ['request', 'simulation_flags', 'block_id'],
    later: { simulation_flags: '0.6' },
    transactions: 'request',
    answer: { each: { shape: 'fee' } },
  },
  starknet_estimateMessageFee: { params: ['message', 'block_id'], answer: { shape: 'fee' } },
  starknet_simulateTransactions: {
    params: ['block_id', 'transactions', 'simulation_flags'],
    transactions: 'transactions',
    answer: { each: { members: { transaction_trace: { shape: 'trace' }, fee_estimation: { shape: 'fee' } } } },
  },
  starknet_traceTransaction: { params: ['transaction_hash'], answer: { shape: 'trace' } },
  starknet_traceBlockTransactions: {
    params: ['block_id', 'trace_flags'],
    later: { trace_flags: '0.10' },
    finalBlock: true,
    answer: traces,
  },
  starknet_addInvokeTransaction: { params: ['invoke_transaction'], transactions: 'invoke_transaction' },
  starknet_addDeclareTransaction: { params: ['declare_transaction'], transactions: 'declare_transaction' },
  starknet_addDeployAccountTransaction: {
    params: ['deploy_account_transaction'],
    transactions: 'deploy_account_transaction',
  },
  starknet_subscribeNewHeads: { params: ['block_id'], since: '0.8', session: true },
  starknet_subscribeEvents: {
    params: ['from_address', 'keys', 'block_id', 'finality_status'],
    since: '0.8',
    session: true,
  },
  starknet_subscribeTransactionStatus: { params: ['transaction_hash'], since: '0.8', session: true },
  // Gone in 0.9; whoever asks for it across versions is refused as for any subscription.
  starknet_subscribePendingTransactions: {
    params: ['transaction_details', 'sender_address'],
    since: '0.8',
    session: true,
  },
  starknet_subscribeNewTransactionReceipts: {
    params: ['finality_status', 'sender_address'],
    since: '0.9',
    session: true,
  },
  starknet_subscribeNewTransactions: {
    params: ['finality_status', 'sender_address', 'tags'],
    since: '0.9',
    session: true,
  },
  starknet_unsubscribe: { params: ['subscription_id'], since: '0.8', session: true },
}
