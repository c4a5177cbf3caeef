import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'

type Row = readonly [method: string, ...paramNames: string[]]

interface Family {
  /** A sentence about all of them. */
  readonly summary: string
  readonly effect: 'read' | 'write'
  readonly rows: readonly Row[]
}

const families: readonly Family[] = [
  {
    summary: 'Reads what a bundler knows of user operations (ERC-7769).',
    effect: 'read',
    rows: [
      ['eth_estimateUserOperationGas', 'userOperation', 'entryPoint', 'stateOverrides?'],
      ['eth_getUserOperationByHash', 'userOperationHash'],
      ['eth_getUserOperationReceipt', 'userOperationHash'],
      ['eth_supportedEntryPoints'],
    ],
  },
  {
    summary: 'Reads from nodes like Erigon.',
    effect: 'read',
    rows: [
      ['eth_callMany', 'bundles', 'context', 'stateOverrides?', 'timeoutMs?'],
      ['eth_callBundle', 'bundle'],
      ['erigon_blockNumber', 'tag?'],
      ['erigon_forks'],
      ['erigon_getBalanceChangesInBlock', 'block'],
      ['erigon_getBlockByTimestamp', 'timestamp', 'fullTransactions'],
      ['erigon_getBlockReceiptsByBlockHash', 'blockHash'],
      ['erigon_getHeaderByHash', 'blockHash'],
      ['erigon_getHeaderByNumber', 'number'],
      ['erigon_getLatestLogs', 'filter', 'options'],
      ['erigon_getLogs', 'filter'],
      ['erigon_getLogsByHash', 'blockHash'],
      ['erigon_nodeInfo'],
    ],
  },
  {
    summary: 'Reads what Otterscan shows.',
    effect: 'read',
    rows: [
      ['ots_getApiLevel'],
      ['ots_getBlockDetails', 'number'],
      ['ots_getBlockDetailsByHash', 'blockHash'],
      ['ots_getBlockTransactions', 'number', 'page', 'pageSize'],
      ['ots_getContractCreator', 'address'],
      ['ots_getInternalOperations', 'transactionHash'],
      ['ots_getTransactionBySenderAndNonce', 'sender', 'nonce'],
      ['ots_getTransactionError', 'transactionHash'],
      ['ots_hasCode', 'address', 'block'],
      ['ots_searchTransactionsAfter', 'address', 'number', 'pageSize'],
      ['ots_searchTransactionsBefore', 'address', 'number', 'pageSize'],
      ['ots_traceTransaction', 'transactionHash'],
    ],
  },
  {
    summary: 'Traces Arbitrum before Nitro.',
    effect: 'read',
    rows: [
      ['arbtrace_block', 'block'],
      ['arbtrace_call', 'call', 'traceTypes', 'block'],
      ['arbtrace_callMany', 'calls', 'block'],
      ['arbtrace_filter', 'filter'],
      ['arbtrace_get', 'transactionHash', 'path'],
      ['arbtrace_replayBlockTransactions', 'block', 'traceTypes'],
      ['arbtrace_replayTransaction', 'transactionHash', 'traceTypes'],
      ['arbtrace_transaction', 'transactionHash'],
    ],
  },
  {
    summary: 'Reads from Bor, a node of Polygon.',
    effect: 'read',
    rows: [
      ['bor_getAuthor', 'block?'],
      ['bor_getCurrentProposer'],
      ['bor_getCurrentValidators'],
      ['bor_getRootHash', 'from', 'to'],
      ['bor_getSignersAtHash', 'blockHash'],
    ],
  },
  {
    summary: 'Names what a node of the OP stack can do beyond the standard.',
    effect: 'read',
    rows: [['op_supportedCapabilities']],
  },
  {
    summary: 'Reads from a node of ZKsync.',
    effect: 'read',
    rows: [
      ['zks_L1BatchNumber'],
      ['zks_L1ChainId'],
      ['zks_estimateFee', 'call'],
      ['zks_estimateGasL1ToL2', 'call'],
      ['zks_getAllAccountBalances', 'address'],
      ['zks_getBaseTokenL1Address'],
      ['zks_getBatchFeeInput'],
      ['zks_getBlockDetails', 'number'],
      ['zks_getBridgeContracts'],
      ['zks_getBridgehubContract'],
      ['zks_getConfirmedTokens', 'from', 'limit'],
      ['zks_getFeeParams'],
      ['zks_getL1BatchBlockRange', 'batch'],
      ['zks_getL1BatchDetails', 'batch'],
      ['zks_getL1GasPrice'],
      ['zks_getL2ToL1LogProof', 'transactionHash', 'logIndex?'],
      ['zks_getL2ToL1MsgProof', 'number', 'sender', 'message', 'logPosition?'],
      ['zks_getMainContract'],
      ['zks_getProof', 'address', 'keys', 'batch'],
      ['zks_getProtocolVersion', 'version?'],
      ['zks_getRawBlockTransactions', 'number'],
      ['zks_getTestnetPaymaster'],
      ['zks_getTransactionDetails', 'transactionHash'],
    ],
  },
  {
    summary:
      'Sends a user operation, a bundle (relays of block builders), or a signed transaction with conditions (ERC-7796) or details.',
    effect: 'write',
    rows: [
      ['eth_sendUserOperation', 'userOperation', 'entryPoint'],
      ['eth_sendBundle', 'bundle'],
      ['eth_sendRawTransactionConditional', 'transaction', 'conditions'],
      ['zks_sendRawTransactionWithDetailedOutput', 'transaction'],
    ],
  },
]

/**
 * Facts of methods that only single families of nodes or providers serve: whether they read or write. Their params and results have no schemas, and
 * they name no block or address to a gateway, so that their answers are not kept.
 */
export const evmProviderFacts: MethodFacts = /*#__PURE__*/ factsOf(families)

function factsOf(all: readonly Family[]): MethodFacts {
  const rows = all.flatMap((family) => family.rows.map((row) => [family, row] as const))
  return Object.fromEntries(
    rows.map(([{ summary, effect }, [method, ...paramNames]]) => [method, { summary, effect, paramNames }]),
  )
}
