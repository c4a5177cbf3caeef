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
 * - `execution_failed`: the execution ended otherwise: an invalid opcode, a stack that is too small.
 * - `invalid_transaction`: the transaction contradicts itself or this chain: its signature, chain id, type, size, fees or
 *   sender. No node would take it.
 * - `sender_limited`: the node takes no more transactions of this sender for now, and those of all others.
 * - `pool_full`: the node takes no more transactions for now.
 * - `unknown_block`: the node does not have the block, or not yet.
 * - `state_unavailable`: the node no longer has the block's state, logs or receipts.
 * - `unavailable`: the node cannot answer for now: it is still syncing or indexing, or cannot reach its sequencer, or a
 *   service has no node for the call.
 * - `rate_limited`: too many requests in a short time.
 * - `quota_exceeded`: the requests of a day or month, or the credits of a plan, are used up.
 * - `unauthorized`: the service refuses the key, or its owner.
 * - `range_too_large`: too many blocks, results or filters for this node.
 * - `response_too_large`, `batch_too_large`: the answer, or the batch around the call, is too large for this node.
 * - `limit_exceeded`: one of these limits; the node does not say which.
 * - `timeout`: the node gave up.
 * - `internal`: something failed inside the node.
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
  | 'execution_failed'
  | 'invalid_transaction'
  | 'sender_limited'
  | 'pool_full'
  | 'unknown_block'
  | 'state_unavailable'
  | 'unavailable'
  | 'rate_limited'
  | 'quota_exceeded'
  | 'unauthorized'
  | 'range_too_large'
  | 'response_too_large'
  | 'batch_too_large'
  | 'limit_exceeded'
  | 'timeout'
  | 'internal'
  | 'method_not_found'
  | 'invalid_params'
  | 'unknown'
