// Version 0.10 of the Starknet RPC: the methods that are as in the version before, and those that it changed or added.

import { array } from '@wayleave/jsonrpc-core/schema'
import {
  blockId_0_9 as blockId,
  closedBlockId_0_9 as closedBlockId,
  closedBlockId_0_8 as latestBlockId,
  indexSchema,
} from '../block-id.ts'
import { block_0_10 as block } from '../block.ts'
import { broadcastInvoke_0_10 as invoke, broadcastTransaction_0_10 as broadcast } from '../broadcast-transaction.ts'
import {
  addressOrListSchema as address,
  emittedEvent_0_10 as emittedEvent,
  eventFilter,
  eventKeysSchema,
  eventsPage,
} from '../event.ts'
import { feeEstimate_0_8 as fee } from '../fee-estimate.ts'
import { feltSchema, feltsSchema } from '../felt.ts'
import {
  estimateFlags,
  simulationFlags_0_10 as simulationFlags,
  storageFlags,
  traceFlags,
  transactionFlags,
} from '../flags.ts'
import { specOf } from '../method-spec.ts'
import { receipt_0_9 as receipt } from '../receipt.ts'
import { blockTraces_0_10 as blockTraces, simulations_0_10 as simulations } from '../simulation.ts'
import { stateUpdateSchema } from '../state-update.ts'
import { trace_0_9 as trace } from '../trace.ts'
import { transaction_0_10 as transaction, withHash } from '../transaction.ts'
import type * as blocks from '../methods/blocks.ts'
import type * as execution from '../methods/execution.ts'
import type * as sending from '../methods/sending.ts'
import type * as state from '../methods/state.ts'
import type * as subscriptions from '../methods/subscriptions.ts'
import type * as traces from '../methods/traces.ts'
import type * as transactions from '../methods/transactions.ts'
import { withReceipt } from '../methods/blocks.ts'
import { messageFromL1Schema } from '../methods/execution.ts'
import { sentSchema } from '../methods/sending.ts'
import { storageValue_0_10 } from '../methods/state.ts'
import { eventFinality, openStatuses, subscriptionId } from '../methods/subscriptions.ts'
import * as table from '../methods/table.ts'

export {
  starknet_addDeclareTransaction,
  starknet_addDeployAccountTransaction,
  starknet_blockHashAndNumber,
  starknet_blockNumber,
  starknet_call,
  starknet_chainId,
  starknet_getBlockTransactionCount,
  starknet_getClass,
  starknet_getClassAt,
  starknet_getClassHashAt,
  starknet_getCompiledCasm,
  starknet_getMessagesStatus,
  starknet_getNonce,
  starknet_getStorageProof,
  starknet_getTransactionReceipt,
  starknet_getTransactionStatus,
  starknet_specVersion,
  starknet_subscribeNewHeads,
  starknet_subscribeNewTransactionReceipts,
  starknet_subscribeTransactionStatus,
  starknet_syncing,
  starknet_traceTransaction,
  starknet_unsubscribe,
} from './v0-9.ts'

type V = '0.10'
const minor = 10
const hashed = /*#__PURE__*/ withHash(transaction)
const broadcasts = /*#__PURE__*/ array(broadcast)

export const starknet_getBlockWithTxHashes: blocks.GetBlockWithTxHashes<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getBlockWithTxHashes, [blockId], /*#__PURE__*/ block(feltSchema))
export const starknet_getBlockWithTxs: blocks.GetBlockWithTxs<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getBlockWithTxs, [blockId, transactionFlags], /*#__PURE__*/ block(hashed))
export const starknet_getBlockWithReceipts: blocks.GetBlockWithReceipts<V> =
  /*#__PURE__*/
  specOf(
    minor,
    table.starknet_getBlockWithReceipts,
    [blockId, transactionFlags],
    /*#__PURE__*/ block(/*#__PURE__*/ withReceipt(transaction, receipt)),
  )
export const starknet_getStateUpdate: blocks.GetStateUpdate<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getStateUpdate, [blockId, feltsSchema], stateUpdateSchema)
export const starknet_getStorageAt: state.GetStorageAt<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getStorageAt, [feltSchema, feltSchema, blockId, storageFlags], storageValue_0_10)
export const starknet_getTransactionByHash: transactions.GetTransactionByHash<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getTransactionByHash, [feltSchema, transactionFlags], hashed)
export const starknet_getTransactionByBlockIdAndIndex: transactions.GetTransactionByIndex<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getTransactionByBlockIdAndIndex, [blockId, indexSchema, transactionFlags], hashed)
export const starknet_getEvents: transactions.GetEvents<V> =
  /*#__PURE__*/
  specOf(
    minor,
    table.starknet_getEvents,
    [/*#__PURE__*/ eventFilter(blockId, address)],
    /*#__PURE__*/ eventsPage(emittedEvent),
  )
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
export const starknet_traceBlockTransactions: traces.TraceBlock<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_traceBlockTransactions, [closedBlockId, traceFlags], /*#__PURE__*/ blockTraces(trace))
export const starknet_addInvokeTransaction: sending.AddInvoke<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_addInvokeTransaction, [invoke], sentSchema)
export const starknet_subscribeEvents: subscriptions.SubscribeEvents<V> =
  /*#__PURE__*/
  specOf(
    minor,
    table.starknet_subscribeEvents,
    [address, eventKeysSchema, latestBlockId, eventFinality],
    subscriptionId,
  )
export const starknet_subscribeNewTransactions: subscriptions.SubscribeTransactions<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_subscribeNewTransactions, [openStatuses, feltsSchema, transactionFlags], subscriptionId)
