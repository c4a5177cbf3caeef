// The methods of version 0.8 of the Starknet RPC, each a constant of its own: bundlers drop the ones that are not used.

import { object, type Schema } from '@wayleave/jsonrpc-core/schema'
import { type BlockId, blockId_0_5, type BlockIdOf, closedBlockId_0_8 } from '../block-id.ts'
import { type Block, block_0_8 } from '../block.ts'
import { both } from '../both.ts'
import {
  type BroadcastDeclare,
  broadcastDeclare_0_8,
  type BroadcastDeployAccount,
  broadcastDeployAccount_0_8,
  type BroadcastInvoke,
  broadcastInvoke_0_8,
  type BroadcastTransaction,
  broadcastTransaction_0_8,
} from '../broadcast-transaction.ts'
import { type ContractClass, type DeprecatedContractClass } from '../contract-class.ts'
import { type EmittedEvent, emittedEvent_0_5 } from '../event.ts'
import { type FeeEstimate, feeEstimate_0_8 } from '../fee-estimate.ts'
import { type Felt, feltSchema } from '../felt.ts'
import { type SimulationFlag } from '../flags.ts'
import {
  type BlockMethod,
  getBlockTransactionCount,
  getBlockWithReceipts,
  getBlockWithTxHashes,
  getBlockWithTxs,
  getStateUpdate,
} from '../methods/blocks.ts'
import {
  type Call,
  call,
  type EstimateFee,
  estimateFee,
  estimateMessageFee,
  type EstimateMessageFee,
} from '../methods/execution.ts'
import {
  addDeclare,
  type AddDeclare,
  type AddDeployAccount,
  addDeployAccount,
  type AddInvoke,
  addInvoke,
} from '../methods/sending.ts'
import {
  type ContractMethod,
  type GetClass,
  getClass,
  getClassAt,
  getClassHashAt,
  type GetCompiledCasm,
  getCompiledCasm,
  getNonce,
  type GetStorageAt,
  getStorageAt,
  getStorageProof,
  type GetStorageProof,
} from '../methods/state.ts'
import {
  subscribeEvents_0_8,
  type SubscribeEvents_0_8,
  subscribeNewHeads,
  type SubscribeNewHeads,
  subscribePendingTransactions,
  type SubscribePendingTransactions,
  type SubscribeTransactionStatus,
  subscribeTransactionStatus,
  unsubscribe,
  type Unsubscribe,
} from '../methods/subscriptions.ts'
import {
  simulateTransactions,
  type SimulateTransactions,
  type TraceBlock,
  traceBlockTransactions,
  traceTransaction,
  type TraceTransaction,
} from '../methods/traces.ts'
import {
  type GetByIndex,
  type GetEvents,
  getEvents,
  type GetMessagesStatus,
  getMessagesStatus,
  getTransactionByHash,
  getTransactionByIndex,
  getTransactionReceipt,
  getTransactionStatus,
  type TransactionMethod,
} from '../methods/transactions.ts'
import { objectOf } from '../object-of.ts'
import { type Receipt, receipt_0_8 } from '../receipt.ts'
import { type Simulated } from '../simulation.ts'
import { type StateUpdate } from '../state-update.ts'
import { trace_0_8, type TransactionTrace } from '../trace.ts'
import { type Status_0_5, status_0_5, type TransactionStatus } from '../transaction-status.ts'
import { type Transaction, transaction_0_8, type TransactionWithHash } from '../transaction.ts'

export {
  starknet_blockHashAndNumber,
  starknet_blockNumber,
  starknet_chainId,
  starknet_specVersion,
  starknet_syncing,
} from '../methods/chain.ts'

type BlockId_0_8 = BlockId<'0.8'>
type Hashed = TransactionWithHash<'0.8'>
type Trace = TransactionTrace<'0.8'>
interface WithReceipt {
  readonly transaction: Transaction<'0.8'>
  readonly receipt: Receipt<'0.8'>
}
type Broadcast_0_8 = BroadcastTransaction<'0.8'>
type Fee = FeeEstimate<'0.8'>

const blockId = blockId_0_5
const hashed: Schema<Hashed> = /*#__PURE__*/ both(
  transaction_0_8,
  /*#__PURE__*/ object<{ readonly transaction_hash: Felt }>('a transaction', { transaction_hash: feltSchema }),
)
const withReceipt: Schema<WithReceipt> = /*#__PURE__*/ objectOf<WithReceipt>('a transaction and its receipt', {
  transaction: transaction_0_8,
  receipt: receipt_0_8,
})

/** `starknet_getBlockWithTxHashes`. */
export const starknet_getBlockWithTxHashes: BlockMethod<
  BlockId_0_8,
  Block<'0.8', Felt>
> = /*#__PURE__*/ getBlockWithTxHashes(blockId, /*#__PURE__*/ block_0_8(feltSchema))

/** `starknet_getBlockWithTxs`. */
export const starknet_getBlockWithTxs: BlockMethod<BlockId_0_8, Block<'0.8', Hashed>> = /*#__PURE__*/ getBlockWithTxs(
  blockId,
  /*#__PURE__*/ block_0_8(hashed),
)

/** `starknet_getBlockWithReceipts`. */
export const starknet_getBlockWithReceipts: BlockMethod<
  BlockId_0_8,
  Block<'0.8', WithReceipt>
> = /*#__PURE__*/ getBlockWithReceipts(blockId, /*#__PURE__*/ block_0_8(withReceipt))

/** `starknet_getBlockTransactionCount`. */
export const starknet_getBlockTransactionCount: BlockMethod<BlockId_0_8, number> =
  /*#__PURE__*/ getBlockTransactionCount(blockId)

/** `starknet_getStateUpdate`. */
export const starknet_getStateUpdate: BlockMethod<BlockId_0_8, StateUpdate> = /*#__PURE__*/ getStateUpdate(blockId)

/** `starknet_getStorageAt`. */
export const starknet_getStorageAt: GetStorageAt<BlockId_0_8> = /*#__PURE__*/ getStorageAt(blockId)

/** `starknet_getNonce`. */
export const starknet_getNonce: ContractMethod<BlockId_0_8, Felt> = /*#__PURE__*/ getNonce(blockId)

/** `starknet_getClassHashAt`. */
export const starknet_getClassHashAt: ContractMethod<BlockId_0_8, Felt> = /*#__PURE__*/ getClassHashAt(blockId)

/** `starknet_getClassAt`. */
export const starknet_getClassAt: ContractMethod<BlockId_0_8, ContractClass | DeprecatedContractClass> =
  /*#__PURE__*/ getClassAt(blockId)

/** `starknet_getClass`. */
export const starknet_getClass: GetClass<BlockId_0_8> = /*#__PURE__*/ getClass(blockId)

/** `starknet_getStorageProof`. */
export const starknet_getStorageProof: GetStorageProof<BlockIdOf<'latest'>> =
  /*#__PURE__*/ getStorageProof(closedBlockId_0_8)

/** `starknet_getCompiledCasm`. */
export const starknet_getCompiledCasm: GetCompiledCasm = /*#__PURE__*/ getCompiledCasm()

/** `starknet_getTransactionByHash`. */
export const starknet_getTransactionByHash: TransactionMethod<Hashed> = /*#__PURE__*/ getTransactionByHash(hashed)

/** `starknet_getTransactionByBlockIdAndIndex`. */
export const starknet_getTransactionByBlockIdAndIndex: GetByIndex<BlockId_0_8, Hashed> =
  /*#__PURE__*/ getTransactionByIndex(blockId, hashed)

/** `starknet_getTransactionReceipt`. */
export const starknet_getTransactionReceipt: TransactionMethod<Receipt<'0.8'>> =
  /*#__PURE__*/ getTransactionReceipt(receipt_0_8)

/** `starknet_getTransactionStatus`. */
export const starknet_getTransactionStatus: TransactionMethod<TransactionStatus<Status_0_5>> =
  /*#__PURE__*/ getTransactionStatus(status_0_5)

/** `starknet_getMessagesStatus`. */
export const starknet_getMessagesStatus: GetMessagesStatus<Status_0_5> = /*#__PURE__*/ getMessagesStatus(status_0_5)

/** `starknet_getEvents`. */
export const starknet_getEvents: GetEvents<BlockId_0_8, Felt, EmittedEvent<'0.8'>> = /*#__PURE__*/ getEvents(
  blockId,
  feltSchema,
  emittedEvent_0_5,
)

/** `starknet_call`. */
export const starknet_call: Call<BlockId_0_8> = /*#__PURE__*/ call(blockId, [20, 21, 40, 24])

/** `starknet_estimateFee`. */
export const starknet_estimateFee: EstimateFee<BlockId_0_8, Broadcast_0_8, Fee> = /*#__PURE__*/ estimateFee(
  blockId,
  broadcastTransaction_0_8,
  feeEstimate_0_8,
)

/** `starknet_estimateMessageFee`. */
export const starknet_estimateMessageFee: EstimateMessageFee<BlockId_0_8, Fee> = /*#__PURE__*/ estimateMessageFee(
  blockId,
  feeEstimate_0_8,
)

/** `starknet_simulateTransactions`. */
export const starknet_simulateTransactions: SimulateTransactions<
  BlockId_0_8,
  Broadcast_0_8,
  SimulationFlag,
  readonly Simulated<Fee, Trace>[]
> = /*#__PURE__*/ simulateTransactions(blockId, broadcastTransaction_0_8, feeEstimate_0_8, trace_0_8)

/** `starknet_traceTransaction`. */
export const starknet_traceTransaction: TraceTransaction<Trace> = /*#__PURE__*/ traceTransaction(trace_0_8)

/** `starknet_traceBlockTransactions`. */
export const starknet_traceBlockTransactions: TraceBlock<BlockId_0_8, Trace> = /*#__PURE__*/ traceBlockTransactions(
  blockId,
  trace_0_8,
)

/** `starknet_addInvokeTransaction`. */
export const starknet_addInvokeTransaction: AddInvoke<BroadcastInvoke<'0.8'>> =
  /*#__PURE__*/ addInvoke(broadcastInvoke_0_8)

/** `starknet_addDeclareTransaction`. */
export const starknet_addDeclareTransaction: AddDeclare<BroadcastDeclare<'0.8'>> =
  /*#__PURE__*/ addDeclare(broadcastDeclare_0_8)

/** `starknet_addDeployAccountTransaction`. */
export const starknet_addDeployAccountTransaction: AddDeployAccount<BroadcastDeployAccount<'0.8'>> =
  /*#__PURE__*/ addDeployAccount(broadcastDeployAccount_0_8)

/** `starknet_subscribeNewHeads`. */
export const starknet_subscribeNewHeads: SubscribeNewHeads = /*#__PURE__*/ subscribeNewHeads()

/** `starknet_subscribeEvents`. */
export const starknet_subscribeEvents: SubscribeEvents_0_8 = /*#__PURE__*/ subscribeEvents_0_8()

/** `starknet_subscribeTransactionStatus`. */
export const starknet_subscribeTransactionStatus: SubscribeTransactionStatus =
  /*#__PURE__*/ subscribeTransactionStatus()

/** `starknet_subscribePendingTransactions`. */
export const starknet_subscribePendingTransactions: SubscribePendingTransactions =
  /*#__PURE__*/ subscribePendingTransactions()

/** `starknet_unsubscribe`. */
export const starknet_unsubscribe: Unsubscribe = /*#__PURE__*/ unsubscribe()
