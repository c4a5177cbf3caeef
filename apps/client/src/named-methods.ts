// Printed by test/named-methods.test.ts from the method table.
import type { CallOptions } from '@wayleave/jsonrpc-core'
import type { Answer, Param, Params } from './methods.ts'

/**
 * The `eth_*` methods of the table: `getStorageAt`, `estimateGas`, `blockNumber` … Subscriptions are `client.subscribe`. Each takes its
 * params one by one, `getBlockByNumber('latest', false)`, or as an array. `null` is the answer where a node has no such block, transaction or
 * receipt. @throws SchemaError, RpcError
 */
export interface EthMethods {
  /** The accounts whose keys the node keeps. Source: `eth_accounts` in execution-apis. */
  accounts(options?: CallOptions): Answer<'eth_accounts'>
  /** The base fee of the next block in wei per gas. Source: `eth_baseFee` in execution-apis. */
  baseFee(options?: CallOptions): Answer<'eth_baseFee'>
  /** The base fee of the next block in wei per blob gas. Source: `eth_blobBaseFee` in execution-apis. */
  blobBaseFee(options?: CallOptions): Answer<'eth_blobBaseFee'>
  /** The number of the latest block. Source: `eth_blockNumber` in execution-apis. */
  blockNumber(options?: CallOptions): Answer<'eth_blockNumber'>
  /** Executes a call without making a transaction, and returns its output. Source: `eth_call` in execution-apis. */
  call(
    call: Param<'eth_call', 0>,
    block?: Param<'eth_call', 1>,
    stateOverrides?: Param<'eth_call', 2>,
    blockOverrides?: Param<'eth_call', 3>,
    options?: CallOptions,
  ): Answer<'eth_call'>
  /** Executes a call without making a transaction, and returns its output. Source: `eth_call` in execution-apis. */
  call(params: Params<'eth_call'>, options?: CallOptions): Answer<'eth_call'>
  /** Which blocks, states and logs the node still has. Source: `eth_capabilities` in execution-apis. */
  capabilities(options?: CallOptions): Answer<'eth_capabilities'>
  /** The chain id that transactions are signed for. Source: `eth_chainId` in EIP-695. */
  chainId(options?: CallOptions): Answer<'eth_chainId'>
  /** Who receives the rewards of the blocks that the node makes. Source: `eth_coinbase` in execution-apis. */
  coinbase(options?: CallOptions): Answer<'eth_coinbase'>
  /** The rules of the forks that the node is set to follow. Source: `eth_config` in EIP-7910. */
  config(options?: CallOptions): Answer<'eth_config'>
  /** The addresses and storage keys that a transaction touches. Source: `eth_createAccessList` in execution-apis. */
  createAccessList(
    call: Param<'eth_createAccessList', 0>,
    block?: Param<'eth_createAccessList', 1>,
    stateOverrides?: Param<'eth_createAccessList', 2>,
    options?: CallOptions,
  ): Answer<'eth_createAccessList'>
  /** The addresses and storage keys that a transaction touches. Source: `eth_createAccessList` in execution-apis. */
  createAccessList(params: Params<'eth_createAccessList'>, options?: CallOptions): Answer<'eth_createAccessList'>
  /** An estimate of the gas that a transaction needs. Source: `eth_estimateGas` in Spec §4.7. */
  estimateGas(
    call: Param<'eth_estimateGas', 0>,
    block?: Param<'eth_estimateGas', 1>,
    stateOverrides?: Param<'eth_estimateGas', 2>,
    blockOverrides?: Param<'eth_estimateGas', 3>,
    options?: CallOptions,
  ): Answer<'eth_estimateGas'>
  /** An estimate of the gas that a transaction needs. Source: `eth_estimateGas` in Spec §4.7. */
  estimateGas(params: Params<'eth_estimateGas'>, options?: CallOptions): Answer<'eth_estimateGas'>
  /** Base fees, priority fees and how full blocks were, for a range of blocks. Source: `eth_feeHistory` in execution-apis. */
  feeHistory(
    blockCount: Param<'eth_feeHistory', 0>,
    newestBlock: Param<'eth_feeHistory', 1>,
    rewardPercentiles?: Param<'eth_feeHistory', 2>,
    options?: CallOptions,
  ): Answer<'eth_feeHistory'>
  /** Base fees, priority fees and how full blocks were, for a range of blocks. Source: `eth_feeHistory` in execution-apis. */
  feeHistory(params: Params<'eth_feeHistory'>, options?: CallOptions): Answer<'eth_feeHistory'>
  /** A transaction with nonce, gas and fees filled in, ready to be signed. Source: `eth_fillTransaction` in go-ethereum. */
  fillTransaction(transaction: Param<'eth_fillTransaction', 0>, options?: CallOptions): Answer<'eth_fillTransaction'>
  /** A transaction with nonce, gas and fees filled in, ready to be signed. Source: `eth_fillTransaction` in go-ethereum. */
  fillTransaction(params: Params<'eth_fillTransaction'>, options?: CallOptions): Answer<'eth_fillTransaction'>
  /** A gas price in wei that a legacy transaction may offer now. Source: `eth_gasPrice` in execution-apis. */
  gasPrice(options?: CallOptions): Answer<'eth_gasPrice'>
  /** The balance of an account in wei. Source: `eth_getBalance` in execution-apis. */
  getBalance(
    address: Param<'eth_getBalance', 0>,
    block?: Param<'eth_getBalance', 1>,
    options?: CallOptions,
  ): Answer<'eth_getBalance'>
  /** The balance of an account in wei. Source: `eth_getBalance` in execution-apis. */
  getBalance(params: Params<'eth_getBalance'>, options?: CallOptions): Answer<'eth_getBalance'>
  /** What a block read and changed, by account. Source: `eth_getBlockAccessList` in execution-apis. */
  getBlockAccessList(block: Param<'eth_getBlockAccessList', 0>, options?: CallOptions): Answer<'eth_getBlockAccessList'>
  /** What a block read and changed, by account. Source: `eth_getBlockAccessList` in execution-apis. */
  getBlockAccessList(params: Params<'eth_getBlockAccessList'>, options?: CallOptions): Answer<'eth_getBlockAccessList'>
  /** A block by hash, with its transactions or their hashes. Source: `eth_getBlockByHash` in execution-apis. */
  getBlockByHash<Full extends boolean>(
    blockHash: Param<'eth_getBlockByHash', 0>,
    fullTransactions: Full,
    options?: CallOptions,
  ): Answer<'eth_getBlockByHash', Full>
  /** A block by hash, with its transactions or their hashes. Source: `eth_getBlockByHash` in execution-apis. */
  getBlockByHash<Full extends boolean>(
    params: Params<'eth_getBlockByHash', Full>,
    options?: CallOptions,
  ): Answer<'eth_getBlockByHash', Full>
  /** A block by number or tag, with its transactions or their hashes. Source: `eth_getBlockByNumber` in execution-apis. */
  getBlockByNumber<Full extends boolean>(
    block: Param<'eth_getBlockByNumber', 0>,
    fullTransactions: Full,
    options?: CallOptions,
  ): Answer<'eth_getBlockByNumber', Full>
  /** A block by number or tag, with its transactions or their hashes. Source: `eth_getBlockByNumber` in execution-apis. */
  getBlockByNumber<Full extends boolean>(
    params: Params<'eth_getBlockByNumber', Full>,
    options?: CallOptions,
  ): Answer<'eth_getBlockByNumber', Full>
  /** The receipts of all transactions of a block, in order. Source: `eth_getBlockReceipts` in Spec §4.6. */
  getBlockReceipts(block: Param<'eth_getBlockReceipts', 0>, options?: CallOptions): Answer<'eth_getBlockReceipts'>
  /** The receipts of all transactions of a block, in order. Source: `eth_getBlockReceipts` in Spec §4.6. */
  getBlockReceipts(params: Params<'eth_getBlockReceipts'>, options?: CallOptions): Answer<'eth_getBlockReceipts'>
  /** How many transactions a block has, by its hash. Source: `eth_getBlockTransactionCountByHash` in execution-apis. */
  getBlockTransactionCountByHash(
    blockHash: Param<'eth_getBlockTransactionCountByHash', 0>,
    options?: CallOptions,
  ): Answer<'eth_getBlockTransactionCountByHash'>
  /** How many transactions a block has, by its hash. Source: `eth_getBlockTransactionCountByHash` in execution-apis. */
  getBlockTransactionCountByHash(
    params: Params<'eth_getBlockTransactionCountByHash'>,
    options?: CallOptions,
  ): Answer<'eth_getBlockTransactionCountByHash'>
  /** How many transactions a block has, by its number or tag. Source: `eth_getBlockTransactionCountByNumber` in execution-apis. */
  getBlockTransactionCountByNumber(
    block: Param<'eth_getBlockTransactionCountByNumber', 0>,
    options?: CallOptions,
  ): Answer<'eth_getBlockTransactionCountByNumber'>
  /** How many transactions a block has, by its number or tag. Source: `eth_getBlockTransactionCountByNumber` in execution-apis. */
  getBlockTransactionCountByNumber(
    params: Params<'eth_getBlockTransactionCountByNumber'>,
    options?: CallOptions,
  ): Answer<'eth_getBlockTransactionCountByNumber'>
  /** The code of an account, empty where it has none. Source: `eth_getCode` in execution-apis. */
  getCode(
    address: Param<'eth_getCode', 0>,
    block?: Param<'eth_getCode', 1>,
    options?: CallOptions,
  ): Answer<'eth_getCode'>
  /** The code of an account, empty where it has none. Source: `eth_getCode` in execution-apis. */
  getCode(params: Params<'eth_getCode'>, options?: CallOptions): Answer<'eth_getCode'>
  /** What a filter has found since it was last asked. Source: `eth_getFilterChanges` in execution-apis. */
  getFilterChanges(id: Param<'eth_getFilterChanges', 0>, options?: CallOptions): Answer<'eth_getFilterChanges'>
  /** What a filter has found since it was last asked. Source: `eth_getFilterChanges` in execution-apis. */
  getFilterChanges(params: Params<'eth_getFilterChanges'>, options?: CallOptions): Answer<'eth_getFilterChanges'>
  /** All logs that match a filter. Source: `eth_getFilterLogs` in execution-apis. */
  getFilterLogs(id: Param<'eth_getFilterLogs', 0>, options?: CallOptions): Answer<'eth_getFilterLogs'>
  /** All logs that match a filter. Source: `eth_getFilterLogs` in execution-apis. */
  getFilterLogs(params: Params<'eth_getFilterLogs'>, options?: CallOptions): Answer<'eth_getFilterLogs'>
  /** A block without its transactions, by hash. Source: `eth_getHeaderByHash` in execution-apis. */
  getHeaderByHash(blockHash: Param<'eth_getHeaderByHash', 0>, options?: CallOptions): Answer<'eth_getHeaderByHash'>
  /** A block without its transactions, by hash. Source: `eth_getHeaderByHash` in execution-apis. */
  getHeaderByHash(params: Params<'eth_getHeaderByHash'>, options?: CallOptions): Answer<'eth_getHeaderByHash'>
  /** A block without its transactions, by number or tag. Source: `eth_getHeaderByNumber` in execution-apis. */
  getHeaderByNumber(block: Param<'eth_getHeaderByNumber', 0>, options?: CallOptions): Answer<'eth_getHeaderByNumber'>
  /** A block without its transactions, by number or tag. Source: `eth_getHeaderByNumber` in execution-apis. */
  getHeaderByNumber(params: Params<'eth_getHeaderByNumber'>, options?: CallOptions): Answer<'eth_getHeaderByNumber'>
  /** The logs that match a filter. Source: `eth_getLogs` in execution-apis. */
  getLogs(filter: Param<'eth_getLogs', 0>, options?: CallOptions): Answer<'eth_getLogs'>
  /** The logs that match a filter. Source: `eth_getLogs` in execution-apis. */
  getLogs(params: Params<'eth_getLogs'>, options?: CallOptions): Answer<'eth_getLogs'>
  /** An account and storage positions, with what proves them against the state root. Source: `eth_getProof` in EIP-1186. */
  getProof(
    address: Param<'eth_getProof', 0>,
    positions: Param<'eth_getProof', 1>,
    block?: Param<'eth_getProof', 2>,
    options?: CallOptions,
  ): Answer<'eth_getProof'>
  /** An account and storage positions, with what proves them against the state root. Source: `eth_getProof` in EIP-1186. */
  getProof(params: Params<'eth_getProof'>, options?: CallOptions): Answer<'eth_getProof'>
  /** A transaction as it went over the network, by its position in a block. Source: `eth_getRawTransactionByBlockHashAndIndex` in go-ethereum. */
  getRawTransactionByBlockHashAndIndex(
    blockHash: Param<'eth_getRawTransactionByBlockHashAndIndex', 0>,
    index: Param<'eth_getRawTransactionByBlockHashAndIndex', 1>,
    options?: CallOptions,
  ): Answer<'eth_getRawTransactionByBlockHashAndIndex'>
  /** A transaction as it went over the network, by its position in a block. Source: `eth_getRawTransactionByBlockHashAndIndex` in go-ethereum. */
  getRawTransactionByBlockHashAndIndex(
    params: Params<'eth_getRawTransactionByBlockHashAndIndex'>,
    options?: CallOptions,
  ): Answer<'eth_getRawTransactionByBlockHashAndIndex'>
  /** A transaction as it went over the network, by its position in a block of a number or tag. Source: `eth_getRawTransactionByBlockNumberAndIndex` in go-ethereum. */
  getRawTransactionByBlockNumberAndIndex(
    block: Param<'eth_getRawTransactionByBlockNumberAndIndex', 0>,
    index: Param<'eth_getRawTransactionByBlockNumberAndIndex', 1>,
    options?: CallOptions,
  ): Answer<'eth_getRawTransactionByBlockNumberAndIndex'>
  /** A transaction as it went over the network, by its position in a block of a number or tag. Source: `eth_getRawTransactionByBlockNumberAndIndex` in go-ethereum. */
  getRawTransactionByBlockNumberAndIndex(
    params: Params<'eth_getRawTransactionByBlockNumberAndIndex'>,
    options?: CallOptions,
  ): Answer<'eth_getRawTransactionByBlockNumberAndIndex'>
  /** A transaction as it went over the network, by its hash. Source: `eth_getRawTransactionByHash` in go-ethereum. */
  getRawTransactionByHash(
    hash: Param<'eth_getRawTransactionByHash', 0>,
    options?: CallOptions,
  ): Answer<'eth_getRawTransactionByHash'>
  /** A transaction as it went over the network, by its hash. Source: `eth_getRawTransactionByHash` in go-ethereum. */
  getRawTransactionByHash(
    params: Params<'eth_getRawTransactionByHash'>,
    options?: CallOptions,
  ): Answer<'eth_getRawTransactionByHash'>
  /** The 32-byte value at a storage position of a contract. Source: `eth_getStorageAt` in Spec §4.2. */
  getStorageAt(
    address: Param<'eth_getStorageAt', 0>,
    position: Param<'eth_getStorageAt', 1>,
    block?: Param<'eth_getStorageAt', 2>,
    options?: CallOptions,
  ): Answer<'eth_getStorageAt'>
  /** The 32-byte value at a storage position of a contract. Source: `eth_getStorageAt` in Spec §4.2. */
  getStorageAt(params: Params<'eth_getStorageAt'>, options?: CallOptions): Answer<'eth_getStorageAt'>
  /** The values at storage positions of several contracts. Source: `eth_getStorageValues` in execution-apis. */
  getStorageValues(
    positions: Param<'eth_getStorageValues', 0>,
    block?: Param<'eth_getStorageValues', 1>,
    options?: CallOptions,
  ): Answer<'eth_getStorageValues'>
  /** The values at storage positions of several contracts. Source: `eth_getStorageValues` in execution-apis. */
  getStorageValues(params: Params<'eth_getStorageValues'>, options?: CallOptions): Answer<'eth_getStorageValues'>
  /** A transaction by its position in a block. Source: `eth_getTransactionByBlockHashAndIndex` in Spec §4.4. */
  getTransactionByBlockHashAndIndex(
    blockHash: Param<'eth_getTransactionByBlockHashAndIndex', 0>,
    index: Param<'eth_getTransactionByBlockHashAndIndex', 1>,
    options?: CallOptions,
  ): Answer<'eth_getTransactionByBlockHashAndIndex'>
  /** A transaction by its position in a block. Source: `eth_getTransactionByBlockHashAndIndex` in Spec §4.4. */
  getTransactionByBlockHashAndIndex(
    params: Params<'eth_getTransactionByBlockHashAndIndex'>,
    options?: CallOptions,
  ): Answer<'eth_getTransactionByBlockHashAndIndex'>
  /** A transaction by its position in a block of a number or tag. Source: `eth_getTransactionByBlockNumberAndIndex` in execution-apis. */
  getTransactionByBlockNumberAndIndex(
    block: Param<'eth_getTransactionByBlockNumberAndIndex', 0>,
    index: Param<'eth_getTransactionByBlockNumberAndIndex', 1>,
    options?: CallOptions,
  ): Answer<'eth_getTransactionByBlockNumberAndIndex'>
  /** A transaction by its position in a block of a number or tag. Source: `eth_getTransactionByBlockNumberAndIndex` in execution-apis. */
  getTransactionByBlockNumberAndIndex(
    params: Params<'eth_getTransactionByBlockNumberAndIndex'>,
    options?: CallOptions,
  ): Answer<'eth_getTransactionByBlockNumberAndIndex'>
  /** A transaction by its hash. Source: `eth_getTransactionByHash` in Spec §4.5. */
  getTransactionByHash(
    hash: Param<'eth_getTransactionByHash', 0>,
    options?: CallOptions,
  ): Answer<'eth_getTransactionByHash'>
  /** A transaction by its hash. Source: `eth_getTransactionByHash` in Spec §4.5. */
  getTransactionByHash(
    params: Params<'eth_getTransactionByHash'>,
    options?: CallOptions,
  ): Answer<'eth_getTransactionByHash'>
  /** A transaction by who sent it, and its nonce. Source: `eth_getTransactionBySenderAndNonce` in erigon. */
  getTransactionBySenderAndNonce(
    sender: Param<'eth_getTransactionBySenderAndNonce', 0>,
    nonce: Param<'eth_getTransactionBySenderAndNonce', 1>,
    options?: CallOptions,
  ): Answer<'eth_getTransactionBySenderAndNonce'>
  /** A transaction by who sent it, and its nonce. Source: `eth_getTransactionBySenderAndNonce` in erigon. */
  getTransactionBySenderAndNonce(
    params: Params<'eth_getTransactionBySenderAndNonce'>,
    options?: CallOptions,
  ): Answer<'eth_getTransactionBySenderAndNonce'>
  /** How many transactions an account has sent: its next nonce. Source: `eth_getTransactionCount` in execution-apis. */
  getTransactionCount(
    address: Param<'eth_getTransactionCount', 0>,
    block?: Param<'eth_getTransactionCount', 1>,
    options?: CallOptions,
  ): Answer<'eth_getTransactionCount'>
  /** How many transactions an account has sent: its next nonce. Source: `eth_getTransactionCount` in execution-apis. */
  getTransactionCount(
    params: Params<'eth_getTransactionCount'>,
    options?: CallOptions,
  ): Answer<'eth_getTransactionCount'>
  /** The receipt of a mined transaction. Source: `eth_getTransactionReceipt` in execution-apis. */
  getTransactionReceipt(
    transactionHash: Param<'eth_getTransactionReceipt', 0>,
    options?: CallOptions,
  ): Answer<'eth_getTransactionReceipt'>
  /** The receipt of a mined transaction. Source: `eth_getTransactionReceipt` in execution-apis. */
  getTransactionReceipt(
    params: Params<'eth_getTransactionReceipt'>,
    options?: CallOptions,
  ): Answer<'eth_getTransactionReceipt'>
  /** An uncle of a block, by the block hash and its position. Source: `eth_getUncleByBlockHashAndIndex` in EIP-1474. */
  getUncleByBlockHashAndIndex(
    blockHash: Param<'eth_getUncleByBlockHashAndIndex', 0>,
    index: Param<'eth_getUncleByBlockHashAndIndex', 1>,
    options?: CallOptions,
  ): Answer<'eth_getUncleByBlockHashAndIndex'>
  /** An uncle of a block, by the block hash and its position. Source: `eth_getUncleByBlockHashAndIndex` in EIP-1474. */
  getUncleByBlockHashAndIndex(
    params: Params<'eth_getUncleByBlockHashAndIndex'>,
    options?: CallOptions,
  ): Answer<'eth_getUncleByBlockHashAndIndex'>
  /** An uncle of a block, by its position. Source: `eth_getUncleByBlockNumberAndIndex` in Spec §4.3. */
  getUncleByBlockNumberAndIndex(
    block: Param<'eth_getUncleByBlockNumberAndIndex', 0>,
    index: Param<'eth_getUncleByBlockNumberAndIndex', 1>,
    options?: CallOptions,
  ): Answer<'eth_getUncleByBlockNumberAndIndex'>
  /** An uncle of a block, by its position. Source: `eth_getUncleByBlockNumberAndIndex` in Spec §4.3. */
  getUncleByBlockNumberAndIndex(
    params: Params<'eth_getUncleByBlockNumberAndIndex'>,
    options?: CallOptions,
  ): Answer<'eth_getUncleByBlockNumberAndIndex'>
  /** How many uncles a block has, by its hash. Source: `eth_getUncleCountByBlockHash` in execution-apis. */
  getUncleCountByBlockHash(
    blockHash: Param<'eth_getUncleCountByBlockHash', 0>,
    options?: CallOptions,
  ): Answer<'eth_getUncleCountByBlockHash'>
  /** How many uncles a block has, by its hash. Source: `eth_getUncleCountByBlockHash` in execution-apis. */
  getUncleCountByBlockHash(
    params: Params<'eth_getUncleCountByBlockHash'>,
    options?: CallOptions,
  ): Answer<'eth_getUncleCountByBlockHash'>
  /** How many uncles a block has, by its number or tag. Source: `eth_getUncleCountByBlockNumber` in execution-apis. */
  getUncleCountByBlockNumber(
    block: Param<'eth_getUncleCountByBlockNumber', 0>,
    options?: CallOptions,
  ): Answer<'eth_getUncleCountByBlockNumber'>
  /** How many uncles a block has, by its number or tag. Source: `eth_getUncleCountByBlockNumber` in execution-apis. */
  getUncleCountByBlockNumber(
    params: Params<'eth_getUncleCountByBlockNumber'>,
    options?: CallOptions,
  ): Answer<'eth_getUncleCountByBlockNumber'>
  /** How many hashes a second the node tries. Source: `eth_hashrate` in EIP-1474. */
  hashrate(options?: CallOptions): Answer<'eth_hashrate'>
  /** A priority fee in wei per gas that a transaction may offer now. Source: `eth_maxPriorityFeePerGas` in execution-apis. */
  maxPriorityFeePerGas(options?: CallOptions): Answer<'eth_maxPriorityFeePerGas'>
  /** Whether the node makes blocks by proof of work. Source: `eth_mining` in EIP-1474. */
  mining(options?: CallOptions): Answer<'eth_mining'>
  /** Makes a filter for new blocks, and returns its id. Source: `eth_newBlockFilter` in execution-apis. */
  newBlockFilter(options?: CallOptions): Answer<'eth_newBlockFilter'>
  /** Makes a filter for logs, and returns its id. Source: `eth_newFilter` in execution-apis. */
  newFilter(filter: Param<'eth_newFilter', 0>, options?: CallOptions): Answer<'eth_newFilter'>
  /** Makes a filter for logs, and returns its id. Source: `eth_newFilter` in execution-apis. */
  newFilter(params: Params<'eth_newFilter'>, options?: CallOptions): Answer<'eth_newFilter'>
  /** Makes a filter for pending transactions, and returns its id. Source: `eth_newPendingTransactionFilter` in execution-apis. */
  newPendingTransactionFilter(
    full?: Param<'eth_newPendingTransactionFilter', 0>,
    options?: CallOptions,
  ): Answer<'eth_newPendingTransactionFilter'>
  /** Makes a filter for pending transactions, and returns its id. Source: `eth_newPendingTransactionFilter` in execution-apis. */
  newPendingTransactionFilter(
    params: Params<'eth_newPendingTransactionFilter'>,
    options?: CallOptions,
  ): Answer<'eth_newPendingTransactionFilter'>
  /** The pending transactions of accounts whose keys the node keeps. Source: `eth_pendingTransactions` in go-ethereum. */
  pendingTransactions(options?: CallOptions): Answer<'eth_pendingTransactions'>
  /** The version of the peer-to-peer protocol. Source: `eth_protocolVersion` in EIP-1474. */
  protocolVersion(options?: CallOptions): Answer<'eth_protocolVersion'>
  /** Submits a signed transaction. Source: `eth_sendRawTransaction` in execution-apis. */
  sendRawTransaction(
    transaction: Param<'eth_sendRawTransaction', 0>,
    options?: CallOptions,
  ): Answer<'eth_sendRawTransaction'>
  /** Submits a signed transaction. Source: `eth_sendRawTransaction` in execution-apis. */
  sendRawTransaction(params: Params<'eth_sendRawTransaction'>, options?: CallOptions): Answer<'eth_sendRawTransaction'>
  /** Submits a signed transaction and waits for its receipt. Source: `eth_sendRawTransactionSync` in EIP-7966. */
  sendRawTransactionSync(
    transaction: Param<'eth_sendRawTransactionSync', 0>,
    timeoutMs?: Param<'eth_sendRawTransactionSync', 1>,
    options?: CallOptions,
  ): Answer<'eth_sendRawTransactionSync'>
  /** Submits a signed transaction and waits for its receipt. Source: `eth_sendRawTransactionSync` in EIP-7966. */
  sendRawTransactionSync(
    params: Params<'eth_sendRawTransactionSync'>,
    options?: CallOptions,
  ): Answer<'eth_sendRawTransactionSync'>
  /** Signs a transaction with a key that the node keeps, and submits it. Source: `eth_sendTransaction` in execution-apis. */
  sendTransaction(transaction: Param<'eth_sendTransaction', 0>, options?: CallOptions): Answer<'eth_sendTransaction'>
  /** Signs a transaction with a key that the node keeps, and submits it. Source: `eth_sendTransaction` in execution-apis. */
  sendTransaction(params: Params<'eth_sendTransaction'>, options?: CallOptions): Answer<'eth_sendTransaction'>
  /** Signs data with a key that the node keeps. Source: `eth_sign` in execution-apis. */
  sign(account: Param<'eth_sign', 0>, data: Param<'eth_sign', 1>, options?: CallOptions): Answer<'eth_sign'>
  /** Signs data with a key that the node keeps. Source: `eth_sign` in execution-apis. */
  sign(params: Params<'eth_sign'>, options?: CallOptions): Answer<'eth_sign'>
  /** Signs a transaction with a key that the node keeps. Source: `eth_signTransaction` in execution-apis. */
  signTransaction(transaction: Param<'eth_signTransaction', 0>, options?: CallOptions): Answer<'eth_signTransaction'>
  /** Signs a transaction with a key that the node keeps. Source: `eth_signTransaction` in execution-apis. */
  signTransaction(params: Params<'eth_signTransaction'>, options?: CallOptions): Answer<'eth_signTransaction'>
  /** Simulates blocks of calls, each on the state that the one before left. Source: `eth_simulateV1` in execution-apis. */
  simulateV1(
    simulation: Param<'eth_simulateV1', 0>,
    block?: Param<'eth_simulateV1', 1>,
    options?: CallOptions,
  ): Answer<'eth_simulateV1'>
  /** Simulates blocks of calls, each on the state that the one before left. Source: `eth_simulateV1` in execution-apis. */
  simulateV1(params: Params<'eth_simulateV1'>, options?: CallOptions): Answer<'eth_simulateV1'>
  /** How far the node has come where it is behind, else false. Source: `eth_syncing` in execution-apis. */
  syncing(options?: CallOptions): Answer<'eth_syncing'>
  /** Ends a filter. Source: `eth_uninstallFilter` in execution-apis. */
  uninstallFilter(id: Param<'eth_uninstallFilter', 0>, options?: CallOptions): Answer<'eth_uninstallFilter'>
  /** Ends a filter. Source: `eth_uninstallFilter` in execution-apis. */
  uninstallFilter(params: Params<'eth_uninstallFilter'>, options?: CallOptions): Answer<'eth_uninstallFilter'>
}

/** The methods of rollup nodes: `getInfo` (Spec §4.8), `syncStatus` (op-node) … @throws SchemaError, RpcError */
export interface RollupMethods {
  /** The output root of a rollup block, and what it is made of. Source: `optimism_outputAtBlock` in op-node. */
  outputAtBlock(number: Param<'optimism_outputAtBlock', 0>, options?: CallOptions): Answer<'optimism_outputAtBlock'>
  /** The output root of a rollup block, and what it is made of. Source: `optimism_outputAtBlock` in op-node. */
  outputAtBlock(params: Params<'optimism_outputAtBlock'>, options?: CallOptions): Answer<'optimism_outputAtBlock'>
  /** The rules that the rollup node follows. Source: `optimism_rollupConfig` in op-node. */
  rollupConfig(options?: CallOptions): Answer<'optimism_rollupConfig'>
  /** The rollup block that was safe when an L1 block was the newest. Source: `optimism_safeHeadAtL1Block` in op-node. */
  safeHeadAtL1Block(
    l1Number: Param<'optimism_safeHeadAtL1Block', 0>,
    options?: CallOptions,
  ): Answer<'optimism_safeHeadAtL1Block'>
  /** The rollup block that was safe when an L1 block was the newest. Source: `optimism_safeHeadAtL1Block` in op-node. */
  safeHeadAtL1Block(
    params: Params<'optimism_safeHeadAtL1Block'>,
    options?: CallOptions,
  ): Answer<'optimism_safeHeadAtL1Block'>
  /** How far a rollup node has come: its L1 and L2 heads by degree of safety. Source: `optimism_syncStatus` in op-node. */
  syncStatus(options?: CallOptions): Answer<'optimism_syncStatus'>
  /** The version of the rollup node. Source: `optimism_version` in op-node. */
  version(options?: CallOptions): Answer<'optimism_version'>
  /** The gas prices of both layers in wei, as the sequencer asks for them. Source: `rollup_gasPrices` in l2geth. */
  gasPrices(options?: CallOptions): Answer<'rollup_gasPrices'>
  /** The mode of a rollup node and how far it has come on both layers. Source: `rollup_getInfo` in Spec §4.8. */
  getInfo(options?: CallOptions): Answer<'rollup_getInfo'>
}
