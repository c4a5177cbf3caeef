/**
 * The meaning of a node's error:
 *
 * - `already_known`: the node has this very transaction.
 * - `nonce_too_low`, `nonce_too_high`: another transaction used the nonce; or one before it is missing.
 * - `replacement_underpriced`: another transaction of this nonce waits, and this one does not pay enough more.
 * - `underpriced`: the fees are below what the node or the block asks for.
 * - `insufficient_funds`: the sender cannot pay value and gas.
 * - `intrinsic_gas_too_low`, `gas_limit_exceeded`, `out_of_gas`: the gas does not cover the transaction itself; is more
 *   than a block, or the node, allows; or ran out.
 * - `reverted`: the execution reverted; `revertOf` tells why.
 * - `invalid_transaction`: the transaction contradicts itself or this chain: its signature, chain id, type, size, fees or
 *   sender. No node would take it.
 * - `pool_full`: the node takes no more transactions for now.
 * - `unknown_block`: the node does not have the block, or not yet.
 * - `state_unavailable`: the node no longer has the block's state, logs or receipts.
 * - `unavailable`: the node cannot answer for now: it is still syncing or indexing, or cannot reach its sequencer.
 * - `limit_exceeded`: too many requests, results or blocks at once.
 * - `timeout`: the node gave up.
 * - `method_not_found`, `invalid_params`: as JSON-RPC has them.
 * - `unknown`: none of these words.
 */
export type NodeErrorKind =
  | 'already_known'
  | 'nonce_too_low'
  | 'nonce_too_high'
  | 'replacement_underpriced'
  | 'underpriced'
  | 'insufficient_funds'
  | 'intrinsic_gas_too_low'
  | 'gas_limit_exceeded'
  | 'out_of_gas'
  | 'reverted'
  | 'invalid_transaction'
  | 'pool_full'
  | 'unknown_block'
  | 'state_unavailable'
  | 'unavailable'
  | 'limit_exceeded'
  | 'timeout'
  | 'method_not_found'
  | 'invalid_params'
  | 'unknown'

/** One row of {@link nodeWordings}. */
export interface NodeWording {
  readonly kind: NodeErrorKind
  /** Found anywhere in the message. */
  readonly pattern: RegExp
  /** The nodes and files that use these words. */
  readonly source: string
}

/** The words of nodes' errors; the first row that matches wins. Words that several nodes share are listed once. */
export const nodeWordings: readonly NodeWording[] = [
  {
    kind: 'reverted',
    // First, because a contract chose the text that follows these words.
    pattern:
      /\bexecution reverted\b|\bvm execution error\b|\bprocessing transaction: (?:transaction )?revert|\breverted with(?:out)? (?:a )?(?:reason|custom error|panic)|\breturned an invalid opcode|\bvm reverted\b|\brevert reason\b|\bCONTRACT_REVERT_EXECUTED\b|\bREVERT opcode executed\b|^revert(?:ed)?\b/i,
    source:
      'go-ethereum internal/ethapi/errors.go, erigon, reth, besu, anvil; nethermind, openethereum; hardhat, ganache, moonbeam, rsk; conflux; filecoin; hedera; tron',
  },

  {
    kind: 'already_known',
    pattern: /\balready known\b/i,
    source: 'go-ethereum core/txpool/errors.go, erigon, reth, nethermind since 2026, execution-apis error 1000',
  },
  { kind: 'already_known', pattern: /\bAlreadyKnown\b/, source: 'nethermind AcceptTxResult before 2026' },
  {
    kind: 'already_known',
    pattern: /\bknown transaction\b/i,
    source: 'besu RpcErrorType, go-ethereum before 1.9, zksync',
  },
  {
    kind: 'already_known',
    pattern: /\balready imported\b|\(AlreadyImported\)/i,
    source: 'anvil PoolError, openethereum, substrate pools',
  },
  { kind: 'already_known', pattern: /existing txn? with same hash/i, source: 'erigon txpoolcfg DuplicateHash' },
  { kind: 'already_known', pattern: /\btx already in mempool\b/i, source: 'cosmos mempool cache' },

  {
    kind: 'replacement_underpriced',
    pattern: /replacement transaction underpriced/i,
    source: 'go-ethereum core/txpool/errors.go, erigon, reth, besu, nethermind, anvil',
  },
  {
    kind: 'replacement_underpriced',
    pattern: /could not replace existing tx|insufficient gas price to replace existing/i,
    source: 'erigon txpoolcfg NotReplaced; reth PoolErrorKind',
  },
  {
    kind: 'replacement_underpriced',
    pattern: /another transaction with same nonce in the queue/i,
    source: 'openethereum helpers/errors.rs',
  },
  { kind: 'replacement_underpriced', pattern: /\bReplacementNotAllowed\b/, source: 'nethermind AcceptTxResult' },

  {
    kind: 'nonce_too_low',
    pattern: /\bnonce (?:is )?too low\b/i,
    source: 'go-ethereum core/error.go, erigon, reth, besu, nethermind since 2026, anvil, openethereum',
  },
  { kind: 'nonce_too_low', pattern: /\bOldNonce\b|\bPool\(Stale\)/, source: 'nethermind before 2026, substrate pools' },
  {
    kind: 'nonce_too_high',
    pattern: /\bnonce (?:is )?too (?:high|distant|far)\b|nonce is too distant|\bNonceGap\b|delegation nonce gap/i,
    source: 'go-ethereum core/error.go, nethermind AcceptTxResult, besu, erigon',
  },

  {
    kind: 'insufficient_funds',
    pattern:
      /insufficient ?(?:funds|balance)|upfront cost exceeds account balance|not enough funds for gas|transaction overdraws from account/i,
    source:
      'go-ethereum core/error.go, erigon, anvil, nethermind, openethereum; besu RpcErrorType; arbitrum; reth pool',
  },

  {
    kind: 'underpriced',
    pattern:
      /transaction underpriced|^underpriced$|\bfee too low\b|\bFeeTooLow(?:ToCompete)?\b|gas price (?:is )?too low/i,
    source: 'go-ethereum core/txpool/errors.go, reth, nethermind; erigon txpoolcfg; arbitrum, openethereum',
  },
  {
    kind: 'underpriced',
    pattern:
      /gas ?price below|less than block (?:base|blob gas) fee|gas price is less than basefee|priority fee below minimum|below chain minimum/i,
    source: 'besu RpcErrorType; go-ethereum core/error.go ErrFeeCapTooLow, ErrBlobFeeCapTooLow; revm; reth',
  },

  {
    kind: 'intrinsic_gas_too_low',
    pattern: /intrinsic gas (?:too low|exceeds gas limit)|transaction gas is too low|insufficient gas for floor data/i,
    source: 'go-ethereum core/error.go, erigon, anvil; besu RpcErrorType; openethereum',
  },
  {
    kind: 'gas_limit_exceeded',
    pattern:
      /exceeds (?:the )?block(?:'s)? gas limit|block gas limit exceeded|\bGasLimitExceeded\b|gas limit reached|intrinsic gas too high|gas limit too high|exceeds max transaction gas limit/i,
    source:
      'go-ethereum core/txpool/errors.go, besu; erigon; nethermind before and since 2026; anvil, reth: EIP-7825 too',
  },
  {
    kind: 'gas_limit_exceeded',
    pattern: /gas required exceeds allowance/i,
    source: 'go-ethereum eth/gasestimator, reth',
  },

  { kind: 'out_of_gas', pattern: /\bout ?of ?gas\b/i, source: 'go-ethereum core/vm/errors.go, reth, anvil' },

  {
    kind: 'invalid_transaction',
    pattern:
      /invalid (?:sender|signature|chain ?id|transaction (?:signature|type))|transaction (?:type not supported|invalid|too large)|failed to (?:recover sender|decode signed transaction)|wrong chain ?id|chain ?id (?:is required|not supported)|only replay-protected/i,
    source:
      'go-ethereum core/txpool, core/types, internal/ethapi; nethermind TxPoolErrorMessages; besu RpcErrorType; reth',
  },
  {
    kind: 'invalid_transaction',
    pattern:
      /priority fee per gas (?:higher|exceeds)|gas uint64 overflow|oversized data|init ?code (?:size exceeded|too large)|sender (?:is )?not an eoa|exceeds the configured cap|fee cap exceeded|nonce has max value|unsupported transaction type|blob transactions? (?:missing|must have)/i,
    source:
      'go-ethereum core/error.go, core/txpool, internal/ethapi; erigon txpoolcfg; besu RpcErrorType; reth; nethermind',
  },

  {
    kind: 'pool_full',
    pattern:
      /txpool is full|sub-?pool is full|too many transactions in the queue|tx ?pool (?:is )?full|pool is full|pool size constraints|account limit exceeded/i,
    source: 'go-ethereum core/txpool; erigon txpoolcfg; openethereum; reth PoolErrorKind',
  },

  {
    kind: 'state_unavailable',
    pattern:
      /missing trie node|state (?:is )?not available|historical state|world state unavailable|history unavailable|old data not available|no state available|no historical rpc|maximum proof window/i,
    source:
      'go-ethereum trie/errors.go, core/state, history (4444); besu RpcErrorType; erigon; nethermind; op-geth; reth',
  },
  {
    kind: 'unknown_block',
    pattern:
      /header (?:for hash )?not found|\bunknown block\b|block (?:\S+ |\S+: )?not found|block not found|header not found/i,
    source: 'go-ethereum eth/api_backend.go, nethermind, besu RpcErrorType, reth, anvil',
  },
  {
    kind: 'unknown_block',
    pattern:
      /not currently canonical|extends beyond current head block|BlockOutOfRange|could not find block|^resource not found$/i,
    source: 'go-ethereum eth/api_backend.go, eth/filters; anvil; nethermind',
  },

  {
    kind: 'unavailable',
    pattern:
      /indexing is in progress|(?:node|sync) is (?:still )?(?:syncing|in progress)|(?:txpool|transaction pool) (?:is )?(?:not enabled|disabled)|failed to forward tx to sequencer/i,
    source:
      'go-ethereum internal/ethapi; nethermind TxPoolErrorMessages; besu RpcErrorType; op-geth: where the words inside are not known',
  },
  {
    kind: 'limit_exceeded',
    pattern:
      /limit exceeded|rate.?limit|too many (?:requests|results)|request count exceeded|exceeds? (?:the )?(?:max(?:imum)? )?(?:limit|range)|maximum rpc range|max batch size|block range (?:too|is too) (?:large|wide)|response too large|more than \d+ results|query exceeds max/i,
    source: 'EIP-1474 -32005, go-ethereum eth/filters and rpc/errors.go, erigon, besu, public services',
  },
  {
    kind: 'timeout',
    pattern:
      /request timed out|execution timeout|execution aborted \(timeout|context deadline exceeded|query timeout|timeout expired|wasn't confirmed within/i,
    source: 'go-ethereum rpc/errors.go, internal/ethapi; erigon; besu RpcErrorType; reth',
  },
  {
    kind: 'method_not_found',
    pattern: /method (?:\S+ )?(?:does not exist|is not available|not (?:found|supported|available|enabled))/i,
    source: 'go-ethereum rpc/errors.go, erigon, reth, besu, nethermind, anvil',
  },
]
