export { type Block, blockSchema, type Uncle, uncleSchema, type Withdrawal } from './block.ts'
export {
  type BlockByHash,
  type BlockByNumber,
  type BlockNumberOrTag,
  blockNumberOrTagSchema,
  type BlockParameter,
  blockParameterSchema,
  type BlockTag,
  blockTagSchema,
  type ReceiptsBlockParameter,
  receiptsBlockParameterSchema,
} from './block-parameter.ts'
export { type Address, addressSchema, dataSchema, type Hash, hashSchema, type Hex, wordSchema } from './data.ts'
export {
  type LogBlockFilter,
  type LogFilter,
  logFilterSchema,
  type LogRangeFilter,
  type LogSubscriptionFilter,
  logSubscriptionFilterSchema,
  type TopicFilter,
} from './log-filter.ts'
export {
  type BlockMethods,
  eth_getBlockByHash,
  eth_getBlockByNumber,
  eth_getUncleByBlockNumberAndIndex,
} from './methods/blocks.ts'
export { type ChainMethods, eth_blockNumber, eth_chainId, eth_gasPrice, net_version } from './methods/chain.ts'
export { evmMethods, type EvmSchema } from './methods/evm-methods.ts'
export { eth_call, eth_estimateGas, type ExecutionMethods } from './methods/execution.ts'
export {
  eth_getBlockReceipts,
  eth_getLogs,
  eth_getTransactionReceipt,
  type ReceiptMethods,
} from './methods/receipts.ts'
export { optimism_syncStatus, rollup_getInfo, type RollupMethods } from './methods/rollup.ts'
export {
  eth_getBalance,
  eth_getCode,
  eth_getStorageAt,
  eth_getTransactionCount,
  type StateMethods,
} from './methods/state.ts'
export {
  eth_subscribe,
  eth_unsubscribe,
  type LogsParams,
  type NewHeadsParams,
  type NewPendingTransactionsParams,
  type SubscriptionMethods,
} from './methods/subscriptions.ts'
export {
  eth_getTransactionByBlockHashAndIndex,
  eth_getTransactionByHash,
  eth_sendRawTransaction,
  type TransactionMethods,
} from './methods/transactions.ts'
export { parseQuantity, printQuantity, type Quantity, quantitySchema } from './quantity.ts'
export { type Log, logSchema, type Receipt, receiptSchema } from './receipt.ts'
export {
  isRollupInfo,
  type RollupInfo,
  type RollupInfoAnswer,
  rollupInfoAnswerSchema,
  rollupInfoFromSyncStatus,
  type RollupInfoOptions,
  rollupInfoSchema,
} from './rollup-info.ts'
export { type BlockId, type L1BlockRef, type L2BlockRef, type SyncStatus, syncStatusSchema } from './sync-status.ts'
export {
  type AccessListEntry,
  accessListSchema,
  type Authorization,
  authorizationListSchema,
  type Transaction,
  transactionSchema,
} from './transaction.ts'
export { type TransactionCall, transactionCallSchema } from './transaction-call.ts'
