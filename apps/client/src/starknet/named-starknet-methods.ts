// Printed by test/starknet/named-methods.test.ts from the method tables.
import type { CallOptions } from '@wayleave/jsonrpc-core'
import type { StarknetVersion } from '@wayleave/starknet-types'
import type { StarknetEventOptions } from './starknet-events.ts'
import type { Answer, Events, Params } from './starknet-types.ts'

/** As version `V` has them. @throws SchemaError, RpcError */
interface Since0_5<V extends StarknetVersion> {
  /** Submits a class. Source: `starknet_addDeclareTransaction` in starknet-specs. */
  addDeclareTransaction(
    params: Params<V, 'starknet_addDeclareTransaction'>,
    options?: CallOptions,
  ): Answer<V, 'starknet_addDeclareTransaction'>
  /** Submits an account that deploys itself. Source: `starknet_addDeployAccountTransaction` in starknet-specs. */
  addDeployAccountTransaction(
    params: Params<V, 'starknet_addDeployAccountTransaction'>,
    options?: CallOptions,
  ): Answer<V, 'starknet_addDeployAccountTransaction'>
  /** Submits a call by an account. Source: `starknet_addInvokeTransaction` in starknet-specs. */
  addInvokeTransaction(
    params: Params<V, 'starknet_addInvokeTransaction'>,
    options?: CallOptions,
  ): Answer<V, 'starknet_addInvokeTransaction'>
  /** The hash and the number of the last block. Source: `starknet_blockHashAndNumber` in starknet-specs. */
  blockHashAndNumber(options?: CallOptions): Answer<V, 'starknet_blockHashAndNumber'>
  /** The number of the last block. Source: `starknet_blockNumber` in starknet-specs. */
  blockNumber(options?: CallOptions): Answer<V, 'starknet_blockNumber'>
  /** What a function of a contract gives, without a transaction. Source: `starknet_call` in starknet-specs. */
  call(params: Params<V, 'starknet_call'>, options?: CallOptions): Answer<V, 'starknet_call'>
  /** The chain, as a short string in hex. Source: `starknet_chainId` in starknet-specs. */
  chainId(options?: CallOptions): Answer<V, 'starknet_chainId'>
  /** What transactions would cost, each on the state that the ones before it leave. Source: `starknet_estimateFee` in Spec §4.9. */
  estimateFee(params: Params<V, 'starknet_estimateFee'>, options?: CallOptions): Answer<V, 'starknet_estimateFee'>
  /** What a message from L1 would cost. Source: `starknet_estimateMessageFee` in starknet-specs. */
  estimateMessageFee(
    params: Params<V, 'starknet_estimateMessageFee'>,
    options?: CallOptions,
  ): Answer<V, 'starknet_estimateMessageFee'>
  /** How many transactions a block has. Source: `starknet_getBlockTransactionCount` in starknet-specs. */
  getBlockTransactionCount(
    params: Params<V, 'starknet_getBlockTransactionCount'>,
    options?: CallOptions,
  ): Answer<V, 'starknet_getBlockTransactionCount'>
  /** A block with the hashes of its transactions. Source: `starknet_getBlockWithTxHashes` in starknet-specs. */
  getBlockWithTxHashes(
    params: Params<V, 'starknet_getBlockWithTxHashes'>,
    options?: CallOptions,
  ): Answer<V, 'starknet_getBlockWithTxHashes'>
  /** A block with its transactions. Source: `starknet_getBlockWithTxs` in starknet-specs. */
  getBlockWithTxs(
    params: Params<V, 'starknet_getBlockWithTxs'>,
    options?: CallOptions,
  ): Answer<V, 'starknet_getBlockWithTxs'>
  /** A class by its hash. Source: `starknet_getClass` in starknet-specs. */
  getClass(params: Params<V, 'starknet_getClass'>, options?: CallOptions): Answer<V, 'starknet_getClass'>
  /** The class of a contract. Source: `starknet_getClassAt` in starknet-specs. */
  getClassAt(params: Params<V, 'starknet_getClassAt'>, options?: CallOptions): Answer<V, 'starknet_getClassAt'>
  /** The hash of a contract’s class. Source: `starknet_getClassHashAt` in starknet-specs. */
  getClassHashAt(
    params: Params<V, 'starknet_getClassHashAt'>,
    options?: CallOptions,
  ): Answer<V, 'starknet_getClassHashAt'>
  /** A page of events that match a filter. Source: `starknet_getEvents` in starknet-specs. */
  getEvents(params: Params<V, 'starknet_getEvents'>, options?: CallOptions): Answer<V, 'starknet_getEvents'>
  /** The nonce of a contract. Source: `starknet_getNonce` in starknet-specs. */
  getNonce(params: Params<V, 'starknet_getNonce'>, options?: CallOptions): Answer<V, 'starknet_getNonce'>
  /** What a block changed in the state. Source: `starknet_getStateUpdate` in starknet-specs. */
  getStateUpdate(
    params: Params<V, 'starknet_getStateUpdate'>,
    options?: CallOptions,
  ): Answer<V, 'starknet_getStateUpdate'>
  /** The value at a key of a contract’s storage; zero where there is none. Source: `starknet_getStorageAt` in starknet-specs. */
  getStorageAt(params: Params<V, 'starknet_getStorageAt'>, options?: CallOptions): Answer<V, 'starknet_getStorageAt'>
  /** A transaction by its place in a block. Source: `starknet_getTransactionByBlockIdAndIndex` in starknet-specs. */
  getTransactionByBlockIdAndIndex(
    params: Params<V, 'starknet_getTransactionByBlockIdAndIndex'>,
    options?: CallOptions,
  ): Answer<V, 'starknet_getTransactionByBlockIdAndIndex'>
  /** A transaction by its hash. Source: `starknet_getTransactionByHash` in starknet-specs. */
  getTransactionByHash(
    params: Params<V, 'starknet_getTransactionByHash'>,
    options?: CallOptions,
  ): Answer<V, 'starknet_getTransactionByHash'>
  /** What came of a transaction. Source: `starknet_getTransactionReceipt` in starknet-specs. */
  getTransactionReceipt(
    params: Params<V, 'starknet_getTransactionReceipt'>,
    options?: CallOptions,
  ): Answer<V, 'starknet_getTransactionReceipt'>
  /** How far a transaction has come. Source: `starknet_getTransactionStatus` in starknet-specs. */
  getTransactionStatus(
    params: Params<V, 'starknet_getTransactionStatus'>,
    options?: CallOptions,
  ): Answer<V, 'starknet_getTransactionStatus'>
  /** What transactions would do and cost, each on the state that the ones before it leave. Source: `starknet_simulateTransactions` in Spec §4.10. */
  simulateTransactions(
    params: Params<V, 'starknet_simulateTransactions'>,
    options?: CallOptions,
  ): Answer<V, 'starknet_simulateTransactions'>
  /** The version of the Starknet RPC that the node answers. Source: `starknet_specVersion` in starknet-specs. */
  specVersion(options?: CallOptions): Answer<V, 'starknet_specVersion'>
  /** Whether the node is catching up, and how far it has come. Source: `starknet_syncing` in starknet-specs. */
  syncing(options?: CallOptions): Answer<V, 'starknet_syncing'>
  /** What each transaction of a block did. Source: `starknet_traceBlockTransactions` in starknet-specs. */
  traceBlockTransactions(
    params: Params<V, 'starknet_traceBlockTransactions'>,
    options?: CallOptions,
  ): Answer<V, 'starknet_traceBlockTransactions'>
  /** What a transaction did. Source: `starknet_traceTransaction` in starknet-specs. */
  traceTransaction(
    params: Params<V, 'starknet_traceTransaction'>,
    options?: CallOptions,
  ): Answer<V, 'starknet_traceTransaction'>
}

/** As version `V` has them. @throws SchemaError, RpcError */
interface Since0_7<V extends StarknetVersion> {
  /** A block with its transactions and their receipts. Source: `starknet_getBlockWithReceipts` in starknet-specs. */
  getBlockWithReceipts(
    params: Params<V, 'starknet_getBlockWithReceipts'>,
    options?: CallOptions,
  ): Answer<V, 'starknet_getBlockWithReceipts'>
}

/** As version `V` has them. @throws SchemaError, RpcError */
interface Since0_8<V extends StarknetVersion> {
  /** What a class of Cairo 1 is compiled to. Source: `starknet_getCompiledCasm` in starknet-specs. */
  getCompiledCasm(
    params: Params<V, 'starknet_getCompiledCasm'>,
    options?: CallOptions,
  ): Answer<V, 'starknet_getCompiledCasm'>
  /** How far the messages that a transaction on L1 sent have come. Source: `starknet_getMessagesStatus` in starknet-specs. */
  getMessagesStatus(
    params: Params<V, 'starknet_getMessagesStatus'>,
    options?: CallOptions,
  ): Answer<V, 'starknet_getMessagesStatus'>
  /** Paths through the tries of a block’s state. Source: `starknet_getStorageProof` in starknet-specs. */
  getStorageProof(
    params: Params<V, 'starknet_getStorageProof'>,
    options?: CallOptions,
  ): Answer<V, 'starknet_getStorageProof'>
  /** New events that match a filter. Source: `starknet_subscribeEvents` in starknet-specs. */
  subscribeEvents(params?: Params<V, 'starknet_subscribeEvents'>, options?: StarknetEventOptions): Events<V, 'Events'>
  /** New headers, from a block on. Source: `starknet_subscribeNewHeads` in starknet-specs. */
  subscribeNewHeads(
    params?: Params<V, 'starknet_subscribeNewHeads'>,
    options?: StarknetEventOptions,
  ): Events<V, 'NewHeads'>
  /** How far a transaction has come, at each step. Source: `starknet_subscribeTransactionStatus` in starknet-specs. */
  subscribeTransactionStatus(
    params: Params<V, 'starknet_subscribeTransactionStatus'>,
    options?: StarknetEventOptions,
  ): Events<V, 'TransactionStatus'>
}

/** As version `V` has them. @throws SchemaError, RpcError */
interface Since0_9<V extends StarknetVersion> {
  /** New receipts. Source: `starknet_subscribeNewTransactionReceipts` in starknet-specs. */
  subscribeNewTransactionReceipts(
    params?: Params<V, 'starknet_subscribeNewTransactionReceipts'>,
    options?: StarknetEventOptions,
  ): Events<V, 'NewTransactionReceipts'>
  /** New transactions. Source: `starknet_subscribeNewTransactions` in starknet-specs. */
  subscribeNewTransactions(
    params?: Params<V, 'starknet_subscribeNewTransactions'>,
    options?: StarknetEventOptions,
  ): Events<V, 'NewTransactions'>
}

/** As version `V` has them. @throws SchemaError, RpcError */
interface Until0_8<V extends StarknetVersion> {
  /** Transactions that come into the pending block. Source: `starknet_subscribePendingTransactions` in starknet-specs. */
  subscribePendingTransactions(
    params?: Params<V, 'starknet_subscribePendingTransactions'>,
    options?: StarknetEventOptions,
  ): Events<V, 'PendingTransactions'>
}

/** The `starknet_*` methods of each version. */
export interface NamedStarknetMethods {
  readonly '0.5.1': Since0_5<'0.5.1'>
  readonly '0.6': Since0_5<'0.6'>
  readonly '0.7': Since0_5<'0.7'> & Since0_7<'0.7'>
  readonly '0.8': Since0_5<'0.8'> & Since0_7<'0.8'> & Since0_8<'0.8'> & Until0_8<'0.8'>
  readonly '0.9': Since0_5<'0.9'> & Since0_7<'0.9'> & Since0_8<'0.9'> & Since0_9<'0.9'>
  readonly '0.10': Since0_5<'0.10'> & Since0_7<'0.10'> & Since0_8<'0.10'> & Since0_9<'0.10'>
}
