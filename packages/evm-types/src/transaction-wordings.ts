import type { NodeWording } from './node-wording.ts'

/**
 * The words by which nodes refuse transactions, or end their execution; the first row that matches wins. The files of nodes that have them stand in
 * `test/vectors/refused-transactions.json`, where the row names none.
 */
export const transactionWordings: readonly NodeWording[] = [
  {
    kind: 'already_known',
    pattern: /\balready known\b/i,
    // go-ethereum core/txpool/errors.go, erigon, reth, nethermind since 2026, execution-apis error 1000
    source: 'go-ethereum',
  },
  { kind: 'already_known', pattern: /\bAlreadyKnown\b/, source: 'nethermind AcceptTxResult before 2026' },
  {
    kind: 'nonce_too_high',
    // Before words of funds: the node has it, and says what it may wait for.
    pattern: /mempool but wasn't processed due to a missing nonce/i,
    // EIP-7966, error 5
    source: 'EIP-7966',
  },
  {
    kind: 'already_known',
    pattern: /\bknown transaction\b/i,
    // besu RpcErrorType, go-ethereum before 1.9, zksync
    source: 'besu',
  },
  {
    kind: 'already_known',
    pattern: /\balready imported\b|\(AlreadyImported\b/i,
    // anvil PoolError, openethereum, substrate pools
    source: 'anvil',
  },
  {
    kind: 'already_known',
    pattern: /existing txn? with same hash|transaction with same hash already exists/i,
    // erigon txpoolcfg DuplicateHash; rootstock TransactionPoolImpl
    source: 'erigon, rootstock',
  },
  {
    kind: 'already_known',
    pattern:
      /\b(?:tx|transaction) already (?:in (?:mem|the )?pool|exists)\b|\balready exists in (?:mempool|cache)\b|^duplicate transaction$|pool already contains this transaction/i,
    // cosmos, cometbft, services
    source: 'cosmos',
  },

  {
    kind: 'replacement_underpriced',
    pattern: /replacement transaction underpriced/i,
    // go-ethereum core/txpool/errors.go, erigon, reth, besu, nethermind, anvil
    source: 'go-ethereum',
  },
  {
    kind: 'replacement_underpriced',
    pattern: /could not replace existing tx|insufficient gas price to replace existing|can't replace blob-txn/i,
    // erigon txpoolcfg NotReplaced, BlobTxReplace; reth PoolErrorKind
    source: 'erigon, reth',
  },
  {
    kind: 'replacement_underpriced',
    pattern: /another transaction with same nonce in the queue/i,
    // openethereum helpers/errors.rs
    source: 'openethereum',
  },
  { kind: 'replacement_underpriced', pattern: /\bReplacementNotAllowed\b/, source: 'nethermind AcceptTxResult' },

  {
    kind: 'nonce_too_low',
    pattern: /\bnonce (?:is )?too low\b|nonce has already been used/i,
    // go-ethereum core/error.go, erigon, reth, besu, nethermind since 2026, anvil, openethereum, monad; a service
    source: 'go-ethereum, a',
  },
  { kind: 'nonce_too_low', pattern: /\bOldNonce\b|\bPool\(Stale\)/, source: 'nethermind before 2026, substrate pools' },
  {
    kind: 'nonce_too_high',
    pattern:
      /\bnonce (?:is )?too (?:high|distant|far)\b|nonce is too distant|\bNonceGap\b|delegation nonce gap|gapped-nonce tx|transaction with a lower nonce exists|account sequence mismatch/i,
    // go-ethereum core/error.go, core/txpool/legacypool, nethermind AcceptTxResult, besu, erigon; cosmos ante
    source: 'go-ethereum, cosmos',
  },

  {
    kind: 'insufficient_funds',
    pattern:
      /insufficient ?(?:funds|balance)|upfront cost exceeds account balance|not enough funds for gas|transaction overdraws from account/i,
    // go-ethereum core/error.go, erigon, anvil, nethermind, openethereum; besu RpcErrorType; arbitrum; reth pool
    source: 'go-ethereum, besu, arbitrum, reth',
  },

  {
    kind: 'underpriced',
    pattern:
      /transaction underpriced|^underpriced$|\bfee too low\b|\bFeeTooLow(?:ToCompete)?\b|gas price (?:supplied )?(?:is )?too low/i,
    // go-ethereum core/txpool/errors.go, reth, nethermind; erigon txpoolcfg; arbitrum, openethereum, monad
    source: 'go-ethereum, erigon, arbitrum',
  },
  {
    kind: 'underpriced',
    pattern:
      /gas ?price below|less than block (?:base|blob gas) fee|gas price is less than basefee|priority fee below minimum|below chain minimum/i,
    // besu RpcErrorType; go-ethereum core/error.go ErrFeeCapTooLow, ErrBlobFeeCapTooLow; revm; reth
    source: 'besu, go-ethereum, revm, reth',
  },

  {
    kind: 'intrinsic_gas_too_low',
    pattern: /intrinsic gas (?:too low|exceeds gas limit)|transaction gas is too low|insufficient gas for floor data/i,
    // go-ethereum core/error.go, erigon, anvil; besu RpcErrorType; openethereum
    source: 'go-ethereum, besu, openethereum',
  },
  {
    kind: 'gas_limit_exceeded',
    pattern:
      /exceeds (?:the )?block(?:'s)? gas limit|block gas limit exceeded|\bGasLimitExceeded\b|gas limit reached|intrinsic gas too high|gas limit too high|exceeds max transaction gas limit|gas limit cap exceeded|exceeds transaction gas limit/i,
    // go-ethereum core/txpool/errors.go, besu; erigon; nethermind before and since 2026; anvil, reth: EIP-7825 too; monad
    source: 'go-ethereum, erigon, nethermind, anvil, monad',
  },
  {
    kind: 'gas_limit_exceeded',
    pattern: /gas required exceeds allowance/i,
    // go-ethereum eth/gasestimator, reth
    source: 'go-ethereum',
  },

  { kind: 'out_of_gas', pattern: /\bout ?of ?gas\b/i, source: 'go-ethereum core/vm/errors.go, reth, anvil' },
  {
    kind: 'execution_failed',
    pattern:
      /\binvalid (?:opcode|jump)|\bstack (?:underflow|overflow|limit reached)|\bEVM error: |max (?:code|initcode) size exceeded|max call depth exceeded|contract address collision|write protection|return data out of bounds|due to an exception/i,
    // go-ethereum core/vm/errors.go; reth rpc-eth-types EvmHalt; besu RpcErrorType EXECUTION_HALTED
    source: 'go-ethereum, reth, besu',
  },

  {
    kind: 'invalid_transaction',
    pattern:
      /invalid (?:sender|signature|chain ?id|transaction (?:signature|type))|transaction (?:type not supported|invalid|too large)|failed to (?:recover sender|decode signed transaction)|wrong chain ?id|chain ?id (?:is required|not supported)|only replay-protected/i,
    // go-ethereum core/txpool, core/types, internal/ethapi; nethermind TxPoolErrorMessages; besu RpcErrorType; reth
    source: 'go-ethereum, nethermind, besu, reth',
  },
  {
    kind: 'invalid_transaction',
    pattern:
      /fee per gas (?:higher|exceeds)|gas uint64 overflow|oversized data|init ?code (?:size exceeded|too large)|sender (?:is )?not an eoa|exceeds the configured cap|fee cap exceeded|nonce has max value|unsupported transaction type|blob transactions? (?:missing|must have)/i,
    // go-ethereum core/error.go, core/txpool, internal/ethapi; erigon txpoolcfg; besu RpcErrorType; reth; nethermind
    source: 'go-ethereum, erigon, besu, reth, nethermind',
  },

  {
    kind: 'invalid_transaction',
    pattern:
      /negative value|blob limit exceeded|too many blobs|max number of blobs|of type create|EIP-?7702 (?:transaction (?:with empty|cannot)|authorization)|transaction v, r, s values|protected signatures|fee cap less than base fee|bigint overflow|typed transaction too short|'yParity'/i,
    // go-ethereum, erigon
    source: 'go-ethereum',
  },
  {
    kind: 'invalid_transaction',
    pattern:
      /invalid (?:public key|number of \d+ blob|blob \d)|unsupported blob tx|mismatches transaction one|authorization (?:tuple|list for EIP7702)|missing sidecar|blobless blob|cell proof is not|legacy blob tx|blob sidecar conversion|\brlp: /i,
    // go-ethereum, reth
    source: 'go-ethereum',
  },
  {
    kind: 'invalid_transaction',
    pattern:
      /^Invalid$|\bSenderIsContract\b|\bInt256Overflow\b|transaction cost overflow|not authorized to send transactions|total blob gas too high|marked the transaction as invalid/i,
    // nethermind, besu
    source: 'nethermind',
  },

  {
    kind: 'sender_limited',
    pattern:
      /account limit exceeded|in-flight transaction limit|(?:address|authority) already reserved|\bspammer\b|pending transaction type conflict|delegation authority has pending|sender is over rate limit/i,
    // go-ethereum, erigon, reth, nethermind, OP Stack proxyd
    source: 'go-ethereum',
  },
  {
    kind: 'pool_full',
    pattern:
      /txpool is full|sub-?pool is full|too many transactions in the queue|tx ?pool (?:is )?full|pool is full|pool size constraints|tries to replace pending|conversion queue is overloaded/i,
    // go-ethereum core/txpool; erigon txpoolcfg; openethereum; reth; cometbft
    source: 'go-ethereum, erigon, openethereum, reth, cometbft',
  },
]
