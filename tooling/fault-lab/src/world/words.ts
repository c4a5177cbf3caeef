import type { NodeClient } from '../plan.ts'

export interface NodeError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** The errors of nodes, by their sense. `about` is a number, a hash or a name that nodes repeat. */
export interface Words {
  unknownBlock(about: string): NodeError
  prunedState(about: string): NodeError
  prunedHistory(about: string): NodeError | null
  missingMethod(about: string): NodeError
  invalidParams(about: string): NodeError
  alreadyKnown(): NodeError
  nonceTooLow(): NodeError
  rangeTooLarge(most: number): NodeError
  rateLimited(): NodeError
  syncing(): NodeError
  timeout(): NodeError
  internal(): NodeError
}

const error = (code: number, message: string): NodeError => ({ code, message })

/** Source: go-ethereum eth/api_backend.go, trie/errors.go, core/txpool/errors.go, rpc/errors.go. */
const geth: Words = {
  unknownBlock: () => error(-32000, 'header not found'),
  prunedState: (about) =>
    error(-32000, `missing trie node ${about} (path ) state ${about} is not available, not found`),
  prunedHistory: () => error(4444, 'pruned history unavailable'),
  missingMethod: (about) => error(-32601, `the method ${about} does not exist/is not available`),
  invalidParams: (about) => error(-32602, `invalid argument 0: ${about}`),
  alreadyKnown: () => error(-32000, 'already known'),
  nonceTooLow: () => error(-32000, 'nonce too low: next nonce 1, tx nonce 0'),
  rangeTooLarge: (most) => error(-32602, `exceed maximum block range: ${most}`),
  rateLimited: () => error(-32005, 'too many requests'),
  syncing: () => error(-32000, 'transaction indexing is in progress'),
  timeout: () => error(-32002, 'request timed out'),
  internal: () => error(-32603, 'internal error'),
}

const clients: Readonly<Record<NodeClient, Partial<Words>>> = {
  geth: {},
  /** Source: erigon rpchelper, txpoolcfg. */
  erigon: {
    unknownBlock: (about) => error(-32000, `block ${about} not found`),
    prunedState: () => error(-32000, 'old data not available due to pruning'),
    prunedHistory: () => null,
    alreadyKnown: () => error(-32000, 'existing tx with same hash'),
    nonceTooLow: () => error(-32000, 'nonce too low'),
    timeout: () => error(-32000, 'execution timeout'),
  },
  /** Source: nethermind AcceptTxResult, BlockFinderExtensions, JsonRpcService. */
  nethermind: {
    unknownBlock: (about) => error(-32001, `Block ${about} not found`),
    prunedState: (about) => error(-32002, `No state available for block ${about}`),
    prunedHistory: () => error(4444, 'Pruned history unavailable'),
    missingMethod: (about) => error(-32601, `The method '${about}' is not found`),
    alreadyKnown: () => error(-32010, 'AlreadyKnown'),
    nonceTooLow: () => error(-32010, 'OldNonce, Current nonce: 1, nonce of rejected tx: 0'),
    rateLimited: () => error(-32005, 'Request rate exceeded'),
    timeout: () => error(-32016, 'Request timeout'),
    internal: () => error(-32603, 'Internal error'),
  },
  /** Source: besu RpcErrorType. */
  besu: {
    unknownBlock: () => error(-32000, 'Block not found'),
    prunedState: () => error(-32000, 'World state unavailable'),
    prunedHistory: () => null,
    missingMethod: () => error(-32601, 'Method not found'),
    invalidParams: () => error(-32602, 'Invalid params'),
    alreadyKnown: () => error(-32000, 'Known transaction'),
    nonceTooLow: () => error(-32001, 'Nonce too low'),
    rangeTooLarge: () => error(-32005, 'Requested range exceeds maximum RPC range limit'),
    timeout: () => error(-32603, 'Timeout expired'),
    internal: () => error(-32603, 'Internal error'),
  },
  /** Source: reth storage/errors ProviderError, rpc-eth-types. */
  reth: {
    unknownBlock: (about) => error(-32001, `block not found: ${about}`),
    prunedState: (about) => error(-32000, `state at block #${about} is pruned`),
    prunedHistory: () => error(4444, 'history has expired'),
    missingMethod: () => error(-32601, 'Method not found'),
    rangeTooLarge: (most) => error(-32602, `query exceeds max block range ${most}`),
    internal: () => error(-32603, 'Internal error'),
  },
  infura: {
    rateLimited: () => error(-32005, 'daily request count exceeded, request rate limited'),
    rangeTooLarge: (most) => error(-32005, `query returned more than ${most} results`),
  },
  alchemy: {
    rateLimited: () =>
      error(429, 'Your app has exceeded its compute units per second capacity. If you have retries enabled, wait.'),
    rangeTooLarge: (most) =>
      error(
        -32600,
        `You can make eth_getLogs requests with up to a ${most} block range. This block range should work.`,
      ),
    internal: () => error(-32001, 'Unable to complete request at this time.'),
  },
  quicknode: {
    rateLimited: () =>
      error(-32007, '25/second request limit reached - reduce calls per second or upgrade your account'),
    rangeTooLarge: (most) => error(-32614, `eth_getLogs is limited to a ${most} range`),
    missingMethod: (about) => error(-32601, `the method ${about} does not exist/is not available`),
  },
}

/** The errors of a client or a provider; those that are not its own are geth's. */
export function wordsOf(client: NodeClient): Words {
  return { ...geth, ...clients[client] }
}
