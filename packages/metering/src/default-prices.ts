/** The credits of a call whose method has no price of its own, on any network. */
export const defaultPrice = 80

/** Credits by method; a method that is missing costs {@link defaultPrice}. */
type PriceTable = Readonly<Record<string, number>>

/**
 * Credits of methods by the kind of network: Infura's published prices, where they are not {@link defaultPrice}
 * (https://docs.metamask.io/services/get-started/pricing/credit-cost/).
 */
export const defaultPrices: Readonly<Record<string, PriceTable>> = {
  evm: {
    debug_storageRangeAt: 1000,
    debug_traceBlock: 1000,
    debug_traceBlockByHash: 1000,
    debug_traceBlockByNumber: 1000,
    debug_traceCall: 1000,
    debug_traceTransaction: 1000,
    eth_blobBaseFee: 300,
    eth_chainId: 5,
    eth_estimateGas: 300,
    eth_getBlockReceipts: 1000,
    eth_getBlockTransactionCountByHash: 150,
    eth_getBlockTransactionCountByNumber: 150,
    eth_getFilterChanges: 140,
    eth_getFilterLogs: 255,
    eth_getLogs: 255,
    eth_getProof: 150,
    eth_getStorageAt: 80,
    eth_getTransactionByBlockHashAndIndex: 150,
    eth_getTransactionByBlockNumberAndIndex: 150,
    eth_getTransactionByHash: 80,
    eth_getUncleByBlockHashAndIndex: 150,
    eth_getUncleByBlockNumberAndIndex: 150,
    eth_getUncleCountByBlockHash: 150,
    eth_getUncleCountByBlockNumber: 150,
    eth_hashrate: 5,
    eth_mining: 5,
    eth_protocolVersion: 5,
    eth_subscribe: 5,
    eth_syncing: 5,
    eth_unsubscribe: 10,
    linea_estimateGas: 100,
    net_listening: 5,
    net_version: 5,
    trace_block: 300,
    trace_call: 300,
    trace_callMany: 300,
    trace_filter: 300,
    trace_transaction: 300,
  },
  starknet: {
    starknet_addDeclareTransaction: 700,
    starknet_addDeployAccountTransaction: 700,
    starknet_addInvokeTransaction: 700,
    starknet_chainId: 5,
    starknet_estimateFee: 240,
    starknet_getEvents: 200,
    starknet_pendingTransactions: 160,
    starknet_simulateTransactions: 160,
    starknet_specVersion: 5,
    starknet_syncing: 5,
  },
  // A total is an estimate of gas and a call, of which there are no published prices beside the others.
  gas: {
    baseFeeHistory: 80,
    baseFeePercentile: 80,
    busyThreshold: 80,
    suggestedGasFees: 80,
    totalFee: 380,
    blockprices: 80,
  },
}

/** Credits of a pushed event by the kind of its subscription (same source). Those of blocks that are not sealed cost as much as those of sealed ones. */
export const defaultEventPrices: PriceTable = {
  newHeads: 50,
  newFlashblocks: 50,
  logs: 300,
  pendingLogs: 300,
  newPendingTransactions: 200,
  newFlashblockTransactions: 200,
}
