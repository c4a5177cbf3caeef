// Version 0.9 of the Starknet RPC: the methods that are as in the version before, and those that it changed or added.

import { array } from '@wayleave/jsonrpc-core/schema'
import {
  blockId_0_9 as blockId,
  closedBlockId_0_9 as closedBlockId,
  closedBlockId_0_8 as latestBlockId,
  indexSchema,
} from '../block-id.ts'
import { block_0_9 as block } from '../block.ts'
import {
  broadcastDeclare_0_8 as declare,
  broadcastDeployAccount_0_8 as deployAccount,
  broadcastInvoke_0_8 as invoke,
  broadcastTransaction_0_8 as broadcast,
} from '../broadcast-transaction.ts'
import { anyClassSchema } from '../contract-class.ts'
import { emittedEvent_0_5 as emittedEvent, eventFilter, eventKeysSchema, eventsPage } from '../event.ts'
import { feeEstimate_0_8 as fee } from '../fee-estimate.ts'
import { feltSchema, feltsSchema } from '../felt.ts'
import { estimateFlags, simulationFlags } from '../flags.ts'
import { hexSchema } from '../hex.ts'
import { specOf } from '../method-spec.ts'
import { receipt_0_9 as receipt, receiptWithBlockInfo_0_9 as receiptAlone } from '../receipt.ts'
import { blockTraces_0_5 as blockTraces, simulations_0_5 as simulations } from '../simulation.ts'
import { stateUpdateSchema } from '../state-update.ts'
import { contractStorageKeys, storageProofSchema } from '../storage-proof.ts'
import { trace_0_9 as trace } from '../trace.ts'
import { messagesStatus_0_9 as messagesStatus, status_0_9 as status, transactionStatus } from '../transaction-status.ts'
import { transaction_0_8 as transaction, withHash } from '../transaction.ts'
import type * as blocks from '../methods/blocks.ts'
import type * as execution from '../methods/execution.ts'
import type * as sending from '../methods/sending.ts'
import type * as state from '../methods/state.ts'
import type * as subscriptions from '../methods/subscriptions.ts'
import type * as traces from '../methods/traces.ts'
import type * as transactions from '../methods/transactions.ts'
import { withReceipt } from '../methods/blocks.ts'
import { functionCallSchema, messageFromL1Schema } from '../methods/execution.ts'
import { sentDeclareSchema, sentDeployAccountSchema, sentSchema } from '../methods/sending.ts'
import { eventFinality, openStatuses, subscriptionId } from '../methods/subscriptions.ts'
import * as table from '../methods/table.ts'

export {
  starknet_blockHashAndNumber,
  starknet_blockNumber,
  starknet_chainId,
  starknet_getCompiledCasm,
  starknet_getTransactionByHash,
  starknet_specVersion,
  starknet_subscribeNewHeads,
  starknet_subscribeTransactionStatus,
  starknet_syncing,
  starknet_unsubscribe,
} from './v0-8.ts'
export { starknet_subscribeNewTransactionReceipts } from '../methods/subscriptions.ts'

type V = '0.9'
const minor = 9
const hashed = /*#__PURE__*/ withHash(transaction)
const broadcasts = /*#__PURE__*/ array(broadcast)

export const starknet_getBlockWithTxHashes: blocks.GetBlockWithTxHashes<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getBlockWithTxHashes, [blockId], /*#__PURE__*/ block(feltSchema))
export const starknet_getBlockWithTxs: blocks.GetBlockWithTxs<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getBlockWithTxs, [blockId], /*#__PURE__*/ block(hashed))
export const starknet_getBlockWithReceipts: blocks.GetBlockWithReceipts<V> =
  /*#__PURE__*/
  specOf(
    minor,
    table.starknet_getBlockWithReceipts,
    [blockId],
    /*#__PURE__*/ block(/*#__PURE__*/ withReceipt(transaction, receipt)),
  )
export const starknet_getBlockTransactionCount: blocks.GetBlockTransactionCount<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getBlockTransactionCount, [blockId], indexSchema)
export const starknet_getStateUpdate: blocks.GetStateUpdate<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getStateUpdate, [blockId], stateUpdateSchema)
export const starknet_getStorageAt: state.GetStorageAt<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getStorageAt, [feltSchema, feltSchema, blockId], feltSchema)
export const starknet_getNonce: state.GetNonce<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getNonce, [blockId, feltSchema], feltSchema)
export const starknet_getClassHashAt: state.GetClassHashAt<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getClassHashAt, [blockId, feltSchema], feltSchema)
export const starknet_getClassAt: state.GetClassAt<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getClassAt, [blockId, feltSchema], anyClassSchema)
export const starknet_getClass: state.GetClass<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getClass, [blockId, feltSchema], anyClassSchema)
export const starknet_getStorageProof: state.GetStorageProof<V> =
  /*#__PURE__*/
  specOf(
    minor,
    table.starknet_getStorageProof,
    [closedBlockId, feltsSchema, feltsSchema, contractStorageKeys],
    storageProofSchema,
  )
export const starknet_getTransactionByBlockIdAndIndex: transactions.GetTransactionByIndex<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getTransactionByBlockIdAndIndex, [blockId, indexSchema], hashed)
export const starknet_getTransactionReceipt: transactions.GetTransactionReceipt<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getTransactionReceipt, [feltSchema], receiptAlone)
export const starknet_getTransactionStatus: transactions.GetTransactionStatus<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getTransactionStatus, [feltSchema], /*#__PURE__*/ transactionStatus(status))
export const starknet_getMessagesStatus: transactions.GetMessagesStatus<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getMessagesStatus, [hexSchema], messagesStatus)
export const starknet_getEvents: transactions.GetEvents<V> =
  /*#__PURE__*/
  specOf(
    minor,
    table.starknet_getEvents,
    [/*#__PURE__*/ eventFilter(blockId, feltSchema)],
    /*#__PURE__*/ eventsPage(emittedEvent),
  )
export const starknet_call: execution.Call<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_call, [functionCallSchema, blockId], feltsSchema)
export const starknet_estimateFee: execution.EstimateFee<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_estimateFee, [broadcasts, estimateFlags, blockId], /*#__PURE__*/ array(fee))
export const starknet_estimateMessageFee: execution.EstimateMessageFee<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_estimateMessageFee, [messageFromL1Schema, blockId], fee)
export const starknet_simulateTransactions: traces.SimulateTransactions<V> =
  /*#__PURE__*/
  specOf(
    minor,
    table.starknet_simulateTransactions,
    [blockId, broadcasts, simulationFlags],
    /*#__PURE__*/ simulations(fee, trace),
  )
export const starknet_traceTransaction: traces.TraceTransaction<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_traceTransaction, [feltSchema], trace)
export const starknet_traceBlockTransactions: traces.TraceBlock<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_traceBlockTransactions, [closedBlockId], /*#__PURE__*/ blockTraces(trace))
export const starknet_addInvokeTransaction: sending.AddInvoke<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_addInvokeTransaction, [invoke], sentSchema)
export const starknet_addDeclareTransaction: sending.AddDeclare<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_addDeclareTransaction, [declare], sentDeclareSchema)
export const starknet_addDeployAccountTransaction: sending.AddDeployAccount<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_addDeployAccountTransaction, [deployAccount], sentDeployAccountSchema)
export const starknet_subscribeEvents: subscriptions.SubscribeEvents<V> =
  /*#__PURE__*/
  specOf(
    minor,
    table.starknet_subscribeEvents,
    [feltSchema, eventKeysSchema, latestBlockId, eventFinality],
    subscriptionId,
  )
export const starknet_subscribeNewTransactions: subscriptions.SubscribeTransactions<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_subscribeNewTransactions, [openStatuses, feltsSchema], subscriptionId)
