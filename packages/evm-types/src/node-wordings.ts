import type { NodeWording } from './node-wording.ts'
import { rangeWordings } from './range-wordings.ts'
import { transactionWordings } from './transaction-wordings.ts'

/** The words of nodes' errors; the first row that matches wins. Words that several nodes share are listed once. */
export const nodeWordings: readonly NodeWording[] = [
  {
    kind: 'reverted',
    // First, because a contract chose the text that follows these words.
    pattern:
      /\bexecution reverted\b|\bvm execution error\b|\bprocessing transaction: (?:transaction )?revert|\breverted with(?:out)? (?:a )?(?:reason|custom error|panic)|\breturned an invalid opcode|\bvm reverted\b|\brevert reason\b|\bCONTRACT_REVERT_EXECUTED\b|\bREVERT opcode executed\b|^revert(?:ed)?\b/i,
    // go-ethereum internal/ethapi/errors.go, erigon, reth, besu, anvil; nethermind, openethereum; hardhat, ganache, moonbeam, rsk; conflux; filecoin; hedera; tron
    source: 'go-ethereum, nethermind, hardhat, conflux, filecoin, hedera, tron',
  },

  ...transactionWordings,

  {
    kind: 'unknown_block',
    pattern: /not been executed yet|upstream height \d+ is less than/i,
    // reth storage/errors ProviderError, before its words of pruned states; dRPC nodecore
    source: 'reth, dRPC',
  },
  {
    kind: 'state_unavailable',
    pattern:
      /missing trie node|state (?:is )?not available|historical state|world state unavailable|history unavailable|old data not available|no state available|no historical rpc|maximum proof window/i,
    // go-ethereum trie/errors.go, core/state, history (4444); besu RpcErrorType; erigon; nethermind; op-geth; reth
    source: 'go-ethereum, besu, erigon, nethermind, op-geth, reth',
  },
  {
    kind: 'state_unavailable',
    pattern:
      /\bstate (?:at block )?\S+ is (?:not available|pruned)|no state found for block|history has expired|been fully indexed yet|\blayer stale\b/i,
    // go-ethereum triedb/pathdb; reth storage/errors ProviderError
    source: 'go-ethereum, reth',
  },
  {
    kind: 'state_unavailable',
    pattern: /archive, debug and trace requests are not available|upstream lower height/i,
    // Chainstack; dRPC nodecore
    source: 'Chainstack, dRPC',
  },
  {
    kind: 'unknown_block',
    pattern:
      /header (?:for hash )?not found|\bunknown block\b|block (?:\S+ |\S+: )?not found|block not found|header not found/i,
    // go-ethereum eth/api_backend.go, nethermind, besu RpcErrorType, reth, anvil, erigon rpchelper
    source: 'go-ethereum',
  },
  {
    kind: 'unknown_block',
    pattern:
      /not (?:currently )?canonical|extends beyond current head block|beyond head block|BlockOutOfRange|could not find block|\bblock does not exist|\bno (?:finalized|safe) block\b|pending (?:block|state) is not available|^resource not found$/i,
    // go-ethereum eth/api_backend.go, eth/filters, eth/gasprice; anvil; nethermind BlockFinderExtensions; reth; erigon
    source: 'go-ethereum, anvil, nethermind, reth, erigon',
  },

  {
    kind: 'unavailable',
    pattern:
      /indexing is (?:in progress|not yet complete)|(?:node|sync) is (?:still )?(?:syncing|in progress)|(?:txpool|transaction pool) (?:is )?(?:not enabled|disabled)|failed to forward tx to sequencer/i,
    // go-ethereum internal/ethapi; erigon eth_receipts.go; nethermind TxPoolErrorMessages; besu RpcErrorType; op-geth: where the words inside are not known
    source: 'go-ethereum, erigon, nethermind, besu, op-geth',
  },
  {
    kind: 'unavailable',
    pattern:
      /no available upstreams|temporary internal error|unable to complete request at this time|no backend is currently healthy/i,
    // dRPC nodecore NoAvailableUpstreams, code 19; Alchemy -32001; OP Stack proxyd at Base
    source: 'dRPC, Alchemy, OP',
  },

  ...rangeWordings,
  {
    kind: 'range_too_large',
    pattern: /addresses or topics per search|query contains \d+ filters/i,
    // go-ethereum eth/filters; Infura
    source: 'go-ethereum, Infura',
  },
  {
    kind: 'batch_too_large',
    pattern: /batch (?:request was )?too large|batch limit \d+ exceeded|max batch size/i,
    // go-ethereum rpc/errors.go; jsonrpsee in reth; erigon rpc/handler.go; besu RpcErrorType
    source: 'go-ethereum, jsonrpsee, erigon, besu',
  },
  {
    kind: 'rate_limited',
    // Before quotas: services that count by the second advise another plan, too.
    pattern: /\/sec(?:ond)?\b|\bper second\b|\brps\b/i,
    // Alchemy, QuickNode, Chainstack
    source: 'Alchemy',
  },
  {
    kind: 'quota_exceeded',
    // Before rates: Infura names both.
    pattern: /\b(?:daily|monthly) (?:request|credit|capacity)|\bquota\b|\bpayment required\b/i,
    // Infura -32005 and 402; Alchemy; QuickNode -32003
    source: 'Infura, Alchemy, QuickNode',
  },
  {
    kind: 'rate_limited',
    pattern: /rate.?limit|request rate exceeded|request limit reached|too many requests/i,
    // Infura, Ankr, dRPC; nethermind JsonRpcService
    source: 'Infura, nethermind',
  },
  {
    kind: 'limit_exceeded',
    pattern: /limit exceeded|exceeds? (?:the )?(?:max(?:imum)? )?limit/i,
    // EIP-1474 -32005, BNB Smart Chain
    source: 'EIP-1474',
  },
  {
    kind: 'timeout',
    pattern:
      /request timed out|^request timeout\b|^timeout$|execution timeout|execution aborted \(timeout|context deadline exceeded|query timeout|timeout expired|wasn't confirmed within|wasn't processed in/i,
    // go-ethereum rpc/errors.go, internal/ethapi; erigon; besu RpcErrorType; nethermind JsonRpcService; reth; EIP-7966; dRPC
    source: 'go-ethereum, erigon, besu, nethermind, reth, EIP-7966, dRPC',
  },
  {
    kind: 'method_not_found',
    pattern:
      /method (?:\S+ )?(?:does not exist|is not (?:available|whitelisted)|not (?:found|supported|available|enabled))|unsupported method/i,
    // go-ethereum rpc/errors.go, erigon, reth, besu, nethermind, anvil; OP Stack proxyd
    source: 'go-ethereum, OP',
  },
  {
    kind: 'unauthorized',
    pattern: /must be authenticated|api key is not allowed|^unauthorized$/i,
    // Alchemy; Ankr -32052; besu -40100
    source: 'Alchemy, Ankr, besu',
  },
  {
    kind: 'internal',
    pattern: /\binternal (?:\w+ )?error\b|method handler crashed/i,
    // besu, nethermind, reth, jsonrpsee, dRPC nodecore; go-ethereum rpc/service.go
    source: 'besu, go-ethereum',
  },
]
