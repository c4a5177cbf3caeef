// Version 0.6 of the Starknet RPC: the methods that are as in the version before, and those that it changed or added.

import { array } from '@wayleave/jsonrpc-core/schema'
import { blockId_0_5 as blockId, indexSchema } from '../block-id.ts'
import { block_0_6 as block } from '../block.ts'
import {
  broadcastDeclare_0_6 as declare,
  broadcastDeployAccount_0_6 as deployAccount,
  broadcastInvoke_0_6 as invoke,
  broadcastTransaction_0_6 as broadcast,
} from '../broadcast-transaction.ts'
import { feeEstimate_0_6 as fee } from '../fee-estimate.ts'
import { feltSchema } from '../felt.ts'
import { estimateFlags, simulationFlags } from '../flags.ts'
import { specOf } from '../method-spec.ts'
import { receipt_0_6 as receipt } from '../receipt.ts'
import { blockTraces_0_5 as blockTraces, simulations_0_5 as simulations } from '../simulation.ts'
import { trace_0_6 as trace } from '../trace.ts'
import { transaction_0_6 as transaction, withHash } from '../transaction.ts'
import type * as blocks from '../methods/blocks.ts'
import type * as execution from '../methods/execution.ts'
import type * as sending from '../methods/sending.ts'
import type * as traces from '../methods/traces.ts'
import type * as transactions from '../methods/transactions.ts'
import { messageFromL1Schema } from '../methods/execution.ts'
import { sentDeclareSchema, sentDeployAccountSchema, sentSchema } from '../methods/sending.ts'
import * as table from '../methods/table.ts'

export {
  starknet_blockHashAndNumber,
  starknet_blockNumber,
  starknet_call,
  starknet_chainId,
  starknet_getBlockTransactionCount,
  starknet_getClass,
  starknet_getClassAt,
  starknet_getClassHashAt,
  starknet_getEvents,
  starknet_getNonce,
  starknet_getStateUpdate,
  starknet_getStorageAt,
  starknet_getTransactionStatus,
  starknet_specVersion,
  starknet_syncing,
} from './v0-5.ts'

type V = '0.6'
const minor = 6
const hashed = /*#__PURE__*/ withHash(transaction)
const broadcasts = /*#__PURE__*/ array(broadcast)

export const starknet_getBlockWithTxHashes: blocks.GetBlockWithTxHashes<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getBlockWithTxHashes, [blockId], /*#__PURE__*/ block(feltSchema))
export const starknet_getBlockWithTxs: blocks.GetBlockWithTxs<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getBlockWithTxs, [blockId], /*#__PURE__*/ block(hashed))
export const starknet_getTransactionByHash: transactions.GetTransactionByHash<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getTransactionByHash, [feltSchema], hashed)
export const starknet_getTransactionByBlockIdAndIndex: transactions.GetTransactionByIndex<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getTransactionByBlockIdAndIndex, [blockId, indexSchema], hashed)
export const starknet_getTransactionReceipt: transactions.GetTransactionReceipt<V> =
  /*#__PURE__*/
  specOf(minor, table.starknet_getTransactionReceipt, [feltSchema], receipt)
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
