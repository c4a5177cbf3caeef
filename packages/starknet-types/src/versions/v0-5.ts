// Version 0.5.1 of the Starknet RPC. Each method is a constant of its own: bundlers drop the ones that are not used.

import { array } from '@wayleave/jsonrpc-core/schema'
import { blockId_0_5 as blockId, indexSchema } from '../block-id.ts'
import { block_0_5 as block } from '../block.ts'
import {
  broadcastDeclare_0_5 as declare,
  broadcastDeployAccount_0_5 as deployAccount,
  broadcastInvoke_0_5 as invoke,
  broadcastTransaction_0_5 as broadcast,
} from '../broadcast-transaction.ts'
import { anyClassSchema } from '../contract-class.ts'
import { emittedEvent_0_5 as emittedEvent, eventFilter, eventsPage } from '../event.ts'
import { feeEstimate_0_5 as fee } from '../fee-estimate.ts'
import { feltSchema, feltsSchema } from '../felt.ts'
import { simulationFlags } from '../flags.ts'
import { specOf } from '../method-spec.ts'
import { receipt_0_5 as receipt } from '../receipt.ts'
import { blockTraces_0_5 as blockTraces, simulations_0_5 as simulations } from '../simulation.ts'
import { stateUpdateSchema } from '../state-update.ts'
import { trace_0_5 as trace } from '../trace.ts'
import { status_0_5 as status, transactionStatus } from '../transaction-status.ts'
import { transaction_0_5 as transaction, withHash } from '../transaction.ts'
import type * as blocks from '../methods/blocks.ts'
import type * as execution from '../methods/execution.ts'
import type * as sending from '../methods/sending.ts'
import type * as state from '../methods/state.ts'
import type * as traces from '../methods/traces.ts'
import type * as transactions from '../methods/transactions.ts'
import { functionCallSchema, messageFromL1Schema } from '../methods/execution.ts'
import { sentDeclareSchema, sentDeployAccountSchema, sentSchema } from '../methods/sending.ts'
import * as table from '../methods/table.ts'

export {
  starknet_blockHashAndNumber,
  starknet_blockNumber,
  starknet_chainId,
  starknet_specVersion,
  starknet_syncing,
} from '../methods/chain.ts'

type V = '0.5.1'
const minor = 5
const hashed = /*#__PURE__*/ withHash(transaction)
const broadcasts = /*#__PURE__*/ array(broadcast)

export const starknet_getBlockWithTxHashes: blocks.GetBlockWithTxHashes<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getBlockWithTxHashes, [blockId], /*#__PURE__*/ block(feltSchema))
export const starknet_getBlockWithTxs: blocks.GetBlockWithTxs<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getBlockWithTxs, [blockId], /*#__PURE__*/ block(hashed))
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
export const starknet_getTransactionByHash: transactions.GetTransactionByHash<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getTransactionByHash, [feltSchema], hashed)
export const starknet_getTransactionByBlockIdAndIndex: transactions.GetTransactionByIndex<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getTransactionByBlockIdAndIndex, [blockId, indexSchema], hashed)
export const starknet_getTransactionReceipt: transactions.GetTransactionReceipt<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getTransactionReceipt, [feltSchema], receipt)
export const starknet_getTransactionStatus: transactions.GetTransactionStatus<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getTransactionStatus, [feltSchema], /*#__PURE__*/ transactionStatus(status))
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
  specOf(minor, table.starknet_estimateFee, [broadcasts, blockId], /*#__PURE__*/ array(fee))
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
  specOf(minor, table.starknet_traceBlockTransactions, [blockId], /*#__PURE__*/ blockTraces(trace))
export const starknet_addInvokeTransaction: sending.AddInvoke<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_addInvokeTransaction, [invoke], sentSchema)
export const starknet_addDeclareTransaction: sending.AddDeclare<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_addDeclareTransaction, [declare], sentDeclareSchema)
export const starknet_addDeployAccountTransaction: sending.AddDeployAccount<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_addDeployAccountTransaction, [deployAccount], sentDeployAccountSchema)
