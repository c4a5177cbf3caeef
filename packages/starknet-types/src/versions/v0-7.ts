// The methods of version 0.7 of the Starknet RPC, each a constant of its own: bundlers drop the ones that are not used.

import { object, type Schema } from '@wayleave/jsonrpc-core/schema'
import { type BlockId, blockId_0_5 } from '../block-id.ts'
import { type Block, block_0_7 } from '../block.ts'
import { both } from '../both.ts'
import {
  type BroadcastDeclare,
  broadcastDeclare_0_6,
  type BroadcastDeployAccount,
  broadcastDeployAccount_0_6,
  type BroadcastInvoke,
  broadcastInvoke_0_6,
  type BroadcastTransaction,
  broadcastTransaction_0_6,
} from '../broadcast-transaction.ts'
import { type ContractClass, type DeprecatedContractClass } from '../contract-class.ts'
import { type EmittedEvent, emittedEvent_0_5 } from '../event.ts'
import { type FeeEstimate, feeEstimate_0_7 } from '../fee-estimate.ts'
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
  getNonce,
  type GetStorageAt,
  getStorageAt,
} from '../methods/state.ts'
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
  getTransactionByHash,
  getTransactionByIndex,
  getTransactionReceipt,
  getTransactionStatus,
  type TransactionMethod,
} from '../methods/transactions.ts'
import { objectOf } from '../object-of.ts'
import { type Receipt, receipt_0_7 } from '../receipt.ts'
import { type Simulated } from '../simulation.ts'
import { type StateUpdate } from '../state-update.ts'
import { trace_0_7, type TransactionTrace } from '../trace.ts'
import { type Status_0_5, status_0_5, type TransactionStatus } from '../transaction-status.ts'
import { type Transaction, transaction_0_6, type TransactionWithHash } from '../transaction.ts'

export {
  starknet_blockHashAndNumber,
  starknet_blockNumber,
  starknet_chainId,
  starknet_specVersion,
  starknet_syncing,
} from '../methods/chain.ts'

type BlockId_0_7 = BlockId<'0.7'>
type Hashed = TransactionWithHash<'0.7'>
type Trace = TransactionTrace<'0.7'>
interface WithReceipt {
  readonly transaction: Transaction<'0.7'>
  readonly receipt: Receipt<'0.7'>
}
type Broadcast_0_7 = BroadcastTransaction<'0.7'>
type Fee = FeeEstimate<'0.7'>

const blockId = blockId_0_5
const hashed: Schema<Hashed> = /*#__PURE__*/ both(
  transaction_0_6,
  /*#__PURE__*/ object<{ readonly transaction_hash: Felt }>('a transaction', { transaction_hash: feltSchema }),
)
const withReceipt: Schema<WithReceipt> = /*#__PURE__*/ objectOf<WithReceipt>('a transaction and its receipt', {
  transaction: transaction_0_6,
  receipt: receipt_0_7,
})

/** `starknet_getBlockWithTxHashes`. */
export const starknet_getBlockWithTxHashes: BlockMethod<
  BlockId_0_7,
  Block<'0.7', Felt>
> = /*#__PURE__*/ getBlockWithTxHashes(blockId, /*#__PURE__*/ block_0_7(feltSchema))

/** `starknet_getBlockWithTxs`. */
export const starknet_getBlockWithTxs: BlockMethod<BlockId_0_7, Block<'0.7', Hashed>> = /*#__PURE__*/ getBlockWithTxs(
  blockId,
  /*#__PURE__*/ block_0_7(hashed),
)

/** `starknet_getBlockWithReceipts`. */
export const starknet_getBlockWithReceipts: BlockMethod<
  BlockId_0_7,
  Block<'0.7', WithReceipt>
> = /*#__PURE__*/ getBlockWithReceipts(blockId, /*#__PURE__*/ block_0_7(withReceipt))

/** `starknet_getBlockTransactionCount`. */
export const starknet_getBlockTransactionCount: BlockMethod<BlockId_0_7, number> =
  /*#__PURE__*/ getBlockTransactionCount(blockId)

/** `starknet_getStateUpdate`. */
export const starknet_getStateUpdate: BlockMethod<BlockId_0_7, StateUpdate> = /*#__PURE__*/ getStateUpdate(blockId)

/** `starknet_getStorageAt`. */
export const starknet_getStorageAt: GetStorageAt<BlockId_0_7> = /*#__PURE__*/ getStorageAt(blockId)

/** `starknet_getNonce`. */
export const starknet_getNonce: ContractMethod<BlockId_0_7, Felt> = /*#__PURE__*/ getNonce(blockId)

/** `starknet_getClassHashAt`. */
export const starknet_getClassHashAt: ContractMethod<BlockId_0_7, Felt> = /*#__PURE__*/ getClassHashAt(blockId)

/** `starknet_getClassAt`. */
export const starknet_getClassAt: ContractMethod<BlockId_0_7, ContractClass | DeprecatedContractClass> =
  /*#__PURE__*/ getClassAt(blockId)

/** `starknet_getClass`. */
export const starknet_getClass: GetClass<BlockId_0_7> = /*#__PURE__*/ getClass(blockId)

/** `starknet_getTransactionByHash`. */
export const starknet_getTransactionByHash: TransactionMethod<Hashed> = /*#__PURE__*/ getTransactionByHash(hashed)

/** `starknet_getTransactionByBlockIdAndIndex`. */
export const starknet_getTransactionByBlockIdAndIndex: GetByIndex<BlockId_0_7, Hashed> =
  /*#__PURE__*/ getTransactionByIndex(blockId, hashed)

/** `starknet_getTransactionReceipt`. */
export const starknet_getTransactionReceipt: TransactionMethod<Receipt<'0.7'>> =
  /*#__PURE__*/ getTransactionReceipt(receipt_0_7)

/** `starknet_getTransactionStatus`. */
export const starknet_getTransactionStatus: TransactionMethod<TransactionStatus<Status_0_5>> =
  /*#__PURE__*/ getTransactionStatus(status_0_5)

/** `starknet_getEvents`. */
export const starknet_getEvents: GetEvents<BlockId_0_7, Felt, EmittedEvent<'0.7'>> = /*#__PURE__*/ getEvents(
  blockId,
  feltSchema,
  emittedEvent_0_5,
)

/** `starknet_call`. */
export const starknet_call: Call<BlockId_0_7> = /*#__PURE__*/ call(blockId, [20, 40, 24])

/** `starknet_estimateFee`. */
export const starknet_estimateFee: EstimateFee<BlockId_0_7, Broadcast_0_7, Fee> = /*#__PURE__*/ estimateFee(
  blockId,
  broadcastTransaction_0_6,
  feeEstimate_0_7,
)

/** `starknet_estimateMessageFee`. */
export const starknet_estimateMessageFee: EstimateMessageFee<BlockId_0_7, Fee> = /*#__PURE__*/ estimateMessageFee(
  blockId,
  feeEstimate_0_7,
)

/** `starknet_simulateTransactions`. */
export const starknet_simulateTransactions: SimulateTransactions<
  BlockId_0_7,
  Broadcast_0_7,
  SimulationFlag,
  readonly Simulated<Fee, Trace>[]
> = /*#__PURE__*/ simulateTransactions(blockId, broadcastTransaction_0_6, feeEstimate_0_7, trace_0_7)

/** `starknet_traceTransaction`. */
export const starknet_traceTransaction: TraceTransaction<Trace> = /*#__PURE__*/ traceTransaction(trace_0_7)

/** `starknet_traceBlockTransactions`. */
export const starknet_traceBlockTransactions: TraceBlock<BlockId_0_7, Trace> = /*#__PURE__*/ traceBlockTransactions(
  blockId,
  trace_0_7,
)

/** `starknet_addInvokeTransaction`. */
export const starknet_addInvokeTransaction: AddInvoke<BroadcastInvoke<'0.7'>> =
  /*#__PURE__*/ addInvoke(broadcastInvoke_0_6)

/** `starknet_addDeclareTransaction`. */
export const starknet_addDeclareTransaction: AddDeclare<BroadcastDeclare<'0.7'>> =
  /*#__PURE__*/ addDeclare(broadcastDeclare_0_6)

/** `starknet_addDeployAccountTransaction`. */
export const starknet_addDeployAccountTransaction: AddDeployAccount<BroadcastDeployAccount<'0.7'>> =
  /*#__PURE__*/ addDeployAccount(broadcastDeployAccount_0_6)
