import type { MethodTable } from '@wayleave/jsonrpc-core/schema'
import {
  type BlockMethods,
  eth_getBlockByHash,
  eth_getBlockByNumber,
  eth_getUncleByBlockNumberAndIndex,
} from './blocks.ts'
import { type ChainMethods, eth_blockNumber, eth_chainId, eth_gasPrice, net_version } from './chain.ts'
import { eth_call, eth_estimateGas, type ExecutionMethods } from './execution.ts'
import { eth_getBlockReceipts, eth_getLogs, eth_getTransactionReceipt, type ReceiptMethods } from './receipts.ts'
import { optimism_syncStatus, rollup_getInfo, type RollupMethods } from './rollup.ts'
import { eth_getBalance, eth_getCode, eth_getStorageAt, eth_getTransactionCount, type StateMethods } from './state.ts'
import { eth_subscribe, eth_unsubscribe, type SubscriptionMethods } from './subscriptions.ts'
import {
  eth_getTransactionByBlockHashAndIndex,
  eth_getTransactionByHash,
  eth_sendRawTransaction,
  type TransactionMethods,
} from './transactions.ts'

/** Params and result of every method: `EvmSchema['eth_getStorageAt']['params']`. */
export interface EvmSchema
  extends
    ChainMethods,
    StateMethods,
    ExecutionMethods,
    BlockMethods,
    TransactionMethods,
    ReceiptMethods,
    RollupMethods,
    SubscriptionMethods {}

/** Checks and facts of every method, by name. */
export const evmMethods: MethodTable<EvmSchema> = {
  eth_chainId,
  net_version,
  eth_blockNumber,
  eth_gasPrice,
  eth_getStorageAt,
  eth_getBalance,
  eth_getCode,
  eth_getTransactionCount,
  eth_call,
  eth_estimateGas,
  eth_getBlockByNumber,
  eth_getBlockByHash,
  eth_getUncleByBlockNumberAndIndex,
  eth_getTransactionByHash,
  eth_getTransactionByBlockHashAndIndex,
  eth_sendRawTransaction,
  eth_getBlockReceipts,
  eth_getTransactionReceipt,
  eth_getLogs,
  rollup_getInfo,
  optimism_syncStatus,
  eth_subscribe,
  eth_unsubscribe,
}
