// The methods of version 0.10 of the Starknet RPC, each a constant of its own: bundlers drop the ones that are not used.

import { object, type Schema } from '@wayleave/jsonrpc-core/schema'
import { type BlockId, blockId_0_9, type BlockIdOf, closedBlockId_0_9 } from '../block-id.ts'
import { type Block, block_0_10 } from '../block.ts'
import { both } from '../both.ts'
import {
  type BroadcastDeclare,
  broadcastDeclare_0_8,
  type BroadcastDeployAccount,
  broadcastDeployAccount_0_8,
  type BroadcastInvoke,
  broadcastInvoke_0_10,
  type BroadcastTransaction,
  broadcastTransaction_0_10,
} from '../broadcast-transaction.ts'
import { type ContractClass, type DeprecatedContractClass } from '../contract-class.ts'
import { addressOrListSchema, type EmittedEvent, emittedEvent_0_10 } from '../event.ts'
import { type FeeEstimate, feeEstimate_0_8 } from '../fee-estimate.ts'
import { type Felt, feltSchema } from '../felt.ts'
import { type SimulationFlag_0_10 } from '../flags.ts'
import {
  type BlockMethod,
  type FilteredStateUpdate,
  type FlaggedBlockMethod,
  getBlockTransactionCount,
  getBlockWithTxHashes,
  getFilteredStateUpdate,
  getFlaggedBlockWithReceipts,
  getFlaggedBlockWithTxs,
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
  type GetFlaggedStorageAt,
  getFlaggedStorageAt,
  getNonce,
  getStorageProof,
  type GetStorageProof,
} from '../methods/state.ts'
import {
  type SubscribeEvents,
  subscribeEvents,
  subscribeNewHeads,
  type SubscribeNewHeads,
  type SubscribeReceipts,
  subscribeReceipts,
  type SubscribeTransactions,
  subscribeTransactions,
  type SubscribeTransactionStatus,
  subscribeTransactionStatus,
  unsubscribe,
  type Unsubscribe,
} from '../methods/subscriptions.ts'
import {
  type SimulateTransactions,
  simulateTransactions_0_10,
  type TraceFlaggedBlock,
  traceFlaggedBlockTransactions,
  traceTransaction,
  type TraceTransaction,
} from '../methods/traces.ts'
import {
  type FlaggedTransactionMethod,
  type GetEvents,
  getEvents,
  type GetFlaggedByIndex,
  getFlaggedTransactionByHash,
  getFlaggedTransactionByIndex,
  type GetMessagesStatus,
  getMessagesStatus,
  getTransactionReceipt,
  getTransactionStatus,
  type TransactionMethod,
} from '../methods/transactions.ts'
import { objectOf } from '../object-of.ts'
import { type Receipt, receipt_0_9 } from '../receipt.ts'
import { type Simulated, type SimulatedWithReads } from '../simulation.ts'
import { trace_0_9, type TransactionTrace } from '../trace.ts'
import {
  finality_0_9,
  type Finality_0_9,
  type Status_0_9,
  status_0_9,
  type TransactionStatus,
} from '../transaction-status.ts'
import { type Transaction, transaction_0_10, type TransactionWithHash } from '../transaction.ts'

export {
  starknet_blockHashAndNumber,
  starknet_blockNumber,
  starknet_chainId,
  starknet_specVersion,
  starknet_syncing,
} from '../methods/chain.ts'

type BlockId_0_10 = BlockId<'0.10'>
type Hashed = TransactionWithHash<'0.10'>
type Trace = TransactionTrace<'0.10'>
interface WithReceipt {
  readonly transaction: Transaction<'0.10'>
  readonly receipt: Receipt<'0.10'>
}
type Broadcast_0_10 = BroadcastTransaction<'0.10'>
type Fee = FeeEstimate<'0.10'>

const blockId = blockId_0_9
const hashed: Schema<Hashed> = /*#__PURE__*/ both(
  transaction_0_10,
  /*#__PURE__*/ object<{ readonly transaction_hash: Felt }>('a transaction', { transaction_hash: feltSchema }),
)
const withReceipt: Schema<WithReceipt> = /*#__PURE__*/ objectOf<WithReceipt>('a transaction and its receipt', {
  transaction: transaction_0_10,
  receipt: receipt_0_9,
})

/** `starknet_getBlockWithTxHashes`. */
export const starknet_getBlockWithTxHashes: BlockMethod<
  BlockId_0_10,
  Block<'0.10', Felt>
> = /*#__PURE__*/ getBlockWithTxHashes(blockId, /*#__PURE__*/ block_0_10(feltSchema))

/** `starknet_getBlockWithTxs`. */
export const starknet_getBlockWithTxs: FlaggedBlockMethod<
  BlockId_0_10,
  Block<'0.10', Hashed>
> = /*#__PURE__*/ getFlaggedBlockWithTxs(blockId, /*#__PURE__*/ block_0_10(hashed))

/** `starknet_getBlockWithReceipts`. */
export const starknet_getBlockWithReceipts: FlaggedBlockMethod<
  BlockId_0_10,
  Block<'0.10', WithReceipt>
> = /*#__PURE__*/ getFlaggedBlockWithReceipts(blockId, /*#__PURE__*/ block_0_10(withReceipt))

/** `starknet_getBlockTransactionCount`. */
export const starknet_getBlockTransactionCount: BlockMethod<BlockId_0_10, number> =
  /*#__PURE__*/ getBlockTransactionCount(blockId)

/** `starknet_getStateUpdate`. */
export const starknet_getStateUpdate: FilteredStateUpdate<BlockId_0_10> = /*#__PURE__*/ getFilteredStateUpdate(blockId)

/** `starknet_getStorageAt`. */
export const starknet_getStorageAt: GetFlaggedStorageAt<BlockId_0_10> = /*#__PURE__*/ getFlaggedStorageAt(blockId)

/** `starknet_getNonce`. */
export const starknet_getNonce: ContractMethod<BlockId_0_10, Felt> = /*#__PURE__*/ getNonce(blockId)

/** `starknet_getClassHashAt`. */
export const starknet_getClassHashAt: ContractMethod<BlockId_0_10, Felt> = /*#__PURE__*/ getClassHashAt(blockId)

/** `starknet_getClassAt`. */
export const starknet_getClassAt: ContractMethod<BlockId_0_10, ContractClass | DeprecatedContractClass> =
  /*#__PURE__*/ getClassAt(blockId)

/** `starknet_getClass`. */
export const starknet_getClass: GetClass<BlockId_0_10> = /*#__PURE__*/ getClass(blockId)

/** `starknet_getStorageProof`. */
export const starknet_getStorageProof: GetStorageProof<BlockIdOf<'latest' | 'l1_accepted'>> =
  /*#__PURE__*/ getStorageProof(closedBlockId_0_9)

/** `starknet_getCompiledCasm`. */
export const starknet_getCompiledCasm: GetCompiledCasm = /*#__PURE__*/ getCompiledCasm()

/** `starknet_getTransactionByHash`. */
export const starknet_getTransactionByHash: FlaggedTransactionMethod<Hashed> =
  /*#__PURE__*/ getFlaggedTransactionByHash(hashed)

/** `starknet_getTransactionByBlockIdAndIndex`. */
export const starknet_getTransactionByBlockIdAndIndex: GetFlaggedByIndex<BlockId_0_10, Hashed> =
  /*#__PURE__*/ getFlaggedTransactionByIndex(blockId, hashed)

/** `starknet_getTransactionReceipt`. */
export const starknet_getTransactionReceipt: TransactionMethod<Receipt<'0.10'>> =
  /*#__PURE__*/ getTransactionReceipt(receipt_0_9)

/** `starknet_getTransactionStatus`. */
export const starknet_getTransactionStatus: TransactionMethod<TransactionStatus<Status_0_9>> =
  /*#__PURE__*/ getTransactionStatus(status_0_9)

/** `starknet_getMessagesStatus`. */
export const starknet_getMessagesStatus: GetMessagesStatus<Finality_0_9> = /*#__PURE__*/ getMessagesStatus(finality_0_9)

/** `starknet_getEvents`. */
export const starknet_getEvents: GetEvents<
  BlockId_0_10,
  Felt | readonly Felt[],
  EmittedEvent<'0.10'>
> = /*#__PURE__*/ getEvents(blockId, addressOrListSchema, emittedEvent_0_10)

/** `starknet_call`. */
export const starknet_call: Call<BlockId_0_10> = /*#__PURE__*/ call(blockId, [20, 21, 40, 24])

/** `starknet_estimateFee`. */
export const starknet_estimateFee: EstimateFee<BlockId_0_10, Broadcast_0_10, Fee> = /*#__PURE__*/ estimateFee(
  blockId,
  broadcastTransaction_0_10,
  feeEstimate_0_8,
  [41, 24, 20],
)

/** `starknet_estimateMessageFee`. */
export const starknet_estimateMessageFee: EstimateMessageFee<BlockId_0_10, Fee> = /*#__PURE__*/ estimateMessageFee(
  blockId,
  feeEstimate_0_8,
  [40, 24, 20],
)

/** `starknet_simulateTransactions`. */
export const starknet_simulateTransactions: SimulateTransactions<
  BlockId_0_10,
  Broadcast_0_10,
  SimulationFlag_0_10,
  readonly Simulated<Fee, Trace>[] | SimulatedWithReads<Simulated<Fee, Trace>>
> = /*#__PURE__*/ simulateTransactions_0_10(blockId, broadcastTransaction_0_10, feeEstimate_0_8, trace_0_9)

/** `starknet_traceTransaction`. */
export const starknet_traceTransaction: TraceTransaction<Trace> = /*#__PURE__*/ traceTransaction(trace_0_9)

/** `starknet_traceBlockTransactions`. */
export const starknet_traceBlockTransactions: TraceFlaggedBlock<
  BlockIdOf<'latest' | 'l1_accepted'>,
  Trace
> = /*#__PURE__*/ traceFlaggedBlockTransactions(closedBlockId_0_9, trace_0_9)

/** `starknet_addInvokeTransaction`. */
export const starknet_addInvokeTransaction: AddInvoke<BroadcastInvoke<'0.10'>> = /*#__PURE__*/ addInvoke(
  broadcastInvoke_0_10,
  64,
  65,
  69,
)

/** `starknet_addDeclareTransaction`. */
export const starknet_addDeclareTransaction: AddDeclare<BroadcastDeclare<'0.10'>> = /*#__PURE__*/ addDeclare(
  broadcastDeclare_0_8,
  64,
  65,
)

/** `starknet_addDeployAccountTransaction`. */
export const starknet_addDeployAccountTransaction: AddDeployAccount<BroadcastDeployAccount<'0.10'>> =
  /*#__PURE__*/ addDeployAccount(broadcastDeployAccount_0_8, 64, 65)

/** `starknet_subscribeNewHeads`. */
export const starknet_subscribeNewHeads: SubscribeNewHeads = /*#__PURE__*/ subscribeNewHeads()

/** `starknet_subscribeEvents`. */
export const starknet_subscribeEvents: SubscribeEvents<Felt | readonly Felt[]> =
  /*#__PURE__*/ subscribeEvents(addressOrListSchema)

/** `starknet_subscribeTransactionStatus`. */
export const starknet_subscribeTransactionStatus: SubscribeTransactionStatus =
  /*#__PURE__*/ subscribeTransactionStatus()

/** `starknet_subscribeNewTransactionReceipts`. */
export const starknet_subscribeNewTransactionReceipts: SubscribeReceipts = /*#__PURE__*/ subscribeReceipts()

/** `starknet_subscribeNewTransactions`. */
export const starknet_subscribeNewTransactions: SubscribeTransactions = /*#__PURE__*/ subscribeTransactions()

/** `starknet_unsubscribe`. */
export const starknet_unsubscribe: Unsubscribe = /*#__PURE__*/ unsubscribe()
