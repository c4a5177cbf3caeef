export { addressesIn } from './addresses-in.ts'
export { alreadyKnown } from './already-known.ts'
export {
  type Block,
  blockSchema,
  type Header,
  headerSchema,
  type Uncle,
  uncleSchema,
  type Withdrawal,
  withdrawalSchema,
} from './block.ts'
export {
  type BlockByHash,
  type BlockByNumber,
  type BlockNumberOrTag,
  blockNumberOrTagSchema,
  type BlockParameter,
  blockParameterSchema,
  type BlockTag,
  blockTagSchema,
} from './block-parameter.ts'
export { checksumAddress, isChecksumAddress, parseAddress } from './checksum-address.ts'
export { type Address, addressSchema, dataSchema, type Hash, hashSchema, type Hex, wordSchema } from './data.ts'
export { errorSelectors } from './error-signature.ts'
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
  eth_getBlockAccessList,
  eth_getBlockByHash,
  eth_getBlockByNumber,
  eth_getBlockTransactionCountByHash,
  eth_getBlockTransactionCountByNumber,
  eth_getHeaderByHash,
  eth_getHeaderByNumber,
  type AccountAccess,
  type BlockMethods,
} from './methods/blocks.ts'
export {
  eth_chainId,
  net_version,
  eth_blockNumber,
  eth_syncing,
  eth_config,
  type ChainMethods,
  type SyncProgress,
} from './methods/chain.ts'
export {
  debug_accountRange,
  debug_executionWitness,
  debug_getBadBlocks,
  debug_getRawBlock,
  debug_getRawBlockAccessList,
  debug_getRawHeader,
  debug_getRawReceipts,
  debug_getRawTransaction,
  debug_storageRangeAt,
  type DebugMethods,
} from './methods/debug.ts'
export {
  debug_traceBlock,
  debug_traceBlockByHash,
  debug_traceBlockByNumber,
  debug_traceCall,
  debug_traceCallMany,
  debug_traceTransaction,
  type BlockTrace,
  type BundlePlace,
  type CallBundle,
  type DebugTraceMethods,
  type TraceOptions,
} from './methods/debug-traces.ts'
export { evmMethods } from './methods/evm-methods.ts'
export { evmProviderFacts } from './provider-facts.ts'
export { evmRules, type EvmSchema } from './methods/evm-rules.ts'
export {
  eth_call,
  eth_estimateGas,
  eth_createAccessList,
  eth_fillTransaction,
  type ExecutionMethods,
  type AccessListAnswer,
  type FilledTransaction,
} from './methods/execution.ts'
export {
  eth_gasPrice,
  eth_maxPriorityFeePerGas,
  eth_baseFee,
  eth_blobBaseFee,
  eth_feeHistory,
  type FeeMethods,
  type FeeHistory,
} from './methods/fees.ts'
export {
  eth_newFilter,
  eth_newBlockFilter,
  eth_newPendingTransactionFilter,
  eth_getFilterChanges,
  eth_getFilterLogs,
  eth_uninstallFilter,
  type FilterMethods,
} from './methods/filters.ts'
export {
  web3_clientVersion,
  web3_sha3,
  net_listening,
  net_peerCount,
  eth_protocolVersion,
  eth_accounts,
  eth_coinbase,
  eth_mining,
  eth_hashrate,
  eth_capabilities,
  type NodeMethods,
} from './methods/node.ts'
export {
  eth_getBlockReceipts,
  eth_getTransactionReceipt,
  eth_getLogs,
  type ReceiptMethods,
} from './methods/receipts.ts'
export {
  optimism_outputAtBlock,
  optimism_rollupConfig,
  optimism_safeHeadAtL1Block,
  optimism_syncStatus,
  optimism_version,
  rollup_gasPrices,
  rollup_getInfo,
  type RollupGasPrices,
  type RollupMethods,
  type RollupOutput,
  type SafeHead,
} from './methods/rollup.ts'
export {
  eth_sendRawTransaction,
  eth_sendRawTransactionSync,
  eth_sendTransaction,
  eth_sign,
  eth_signTransaction,
  type SendingMethods,
  type SignedTransaction,
} from './methods/sending.ts'
export {
  eth_simulateV1,
  type SimulationMethods,
  type SimulatedBlockOverrides,
  type BlockStateCall,
  type Simulation,
  type SimulatedCall,
  type SimulatedBlock,
} from './methods/simulation.ts'
export {
  eth_getStorageAt,
  eth_getBalance,
  eth_getCode,
  eth_getTransactionCount,
  eth_getProof,
  eth_getStorageValues,
  type StateMethods,
  type StorageProof,
  type AccountProof,
} from './methods/state.ts'
export {
  eth_subscribe,
  eth_unsubscribe,
  type SubscriptionMethods,
  type NewHeadsParams,
  type EventStart,
  type LogsParams,
  type NewPendingTransactionsParams,
  type ReceiptsFilter,
  type SyncingParams,
  type TransactionReceiptsParams,
} from './methods/subscriptions.ts'
export {
  eth_getRawTransactionByBlockHashAndIndex,
  eth_getRawTransactionByBlockNumberAndIndex,
  eth_getRawTransactionByHash,
  eth_getTransactionByBlockHashAndIndex,
  eth_getTransactionByBlockNumberAndIndex,
  eth_getTransactionByHash,
  eth_getTransactionBySenderAndNonce,
  eth_pendingTransactions,
  type TransactionMethods,
} from './methods/transactions.ts'
export {
  trace_block,
  trace_call,
  trace_callMany,
  trace_filter,
  trace_get,
  trace_rawTransaction,
  trace_replayBlockTransactions,
  trace_replayTransaction,
  trace_transaction,
  type ReplayedTrace,
  type Trace,
  type TraceFilter,
  type TraceMethods,
  type TraceType,
} from './methods/traces.ts'
export { txpool_status, txpool_content, txpool_contentFrom, type TxpoolMethods } from './methods/txpool.ts'
export {
  eth_getUncleByBlockNumberAndIndex,
  eth_getUncleByBlockHashAndIndex,
  eth_getUncleCountByBlockNumber,
  eth_getUncleCountByBlockHash,
  type UncleMethods,
} from './methods/uncles.ts'
export type { NodeErrorKind } from './node-error-kind.ts'
export { classifyNodeError, type NodeError } from './node-error.ts'
export type { NodeWording } from './node-wording.ts'
export { nodeWordings } from './node-wordings.ts'
export {
  type AccountOverride,
  type BlockOverrides,
  blockOverridesSchema,
  type StateOverrides,
  stateOverridesSchema,
} from './overrides.ts'
export { parseData, printData } from './parse-data.ts'
export { indexSchema, parseQuantity, printQuantity, type Quantity, quantitySchema } from './quantity.ts'
export { type Log, logSchema, type Receipt, receiptSchema } from './receipt.ts'
export { type RangeLimit, rangeLimitOf } from './range-limit.ts'
export { type RangeWording, rangeWordings } from './range-wordings.ts'
export { blockParameterToHex, type ReceiptsBlockParameter, receiptsBlockParameterSchema } from './receipts-block.ts'
export { decodeRevert, type ErrorSignatures, panicMeanings, revertOf, type RevertReason } from './revert.ts'
export {
  isRollupInfo,
  type RollupInfo,
  type RollupInfoAnswer,
  rollupInfoAnswerSchema,
  rollupInfoFromSyncStatus,
  type RollupInfoOptions,
  rollupInfoSchema,
} from './rollup-info.ts'
export { type MappingKey } from './mapping-key.ts'
export {
  arraySlot,
  erc1967Slot,
  erc7201Slot,
  fixedArraySlot,
  mappingSlot,
  memberSlot,
  packedPlace,
  type Slot,
  type StoragePlace,
} from './storage-slot.ts'
export {
  bytesSlots,
  readAddress,
  readBool,
  readBytes,
  readFixedBytes,
  readInt,
  readString,
  readUint,
  type WordPart,
} from './storage-value.ts'
export { type BlockId, type L1BlockRef, type L2BlockRef, type SyncStatus, syncStatusSchema } from './sync-status.ts'
export {
  type AccessListEntry,
  accessListSchema,
  type Authorization,
  authorizationListSchema,
  type Transaction,
  transactionSchema,
} from './transaction.ts'
export { transactionHash } from './transaction-hash.ts'
export { type TransactionCall, transactionCallSchema } from './transaction-call.ts'
export { formatUnits, parseUnits } from './units.ts'
