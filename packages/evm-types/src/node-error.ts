import type { NodeErrorKind } from './node-error-kind.ts'
import { nodeWordings } from './node-wordings.ts'

/** A node's JSON-RPC error, as `RpcError.rpc` of a client or `error` of an answer holds it. */
export interface NodeError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/**
 * The meaning of a code whatever the words: no other list has these numbers. Source: execution-apis of March 2026, `gas-errors.yaml`,
 * `txpool-errors.yaml`, `zk-execution-errors.yaml`.
 */
const kindsByStandard: Readonly<Record<number, NodeErrorKind>> = {
  800: 'intrinsic_gas_too_low',
  801: 'out_of_gas',
  802: 'underpriced',
  803: 'gas_limit_exceeded',
  804: 'invalid_transaction',
  805: 'invalid_transaction',
  806: 'underpriced',
  807: 'invalid_transaction',
  808: 'invalid_transaction',
  809: 'insufficient_funds',
  1000: 'already_known',
  1001: 'invalid_transaction',
  2000: 'execution_failed',
}

/**
 * The meaning of a code where no words are known. Source: EIP-1474, JSON-RPC, execution-apis; eRPC's own; the statuses of HTTP that
 * Alchemy, Infura, QuickNode and dRPC repeat inside.
 */
const kindsByCode: Readonly<Record<number, NodeErrorKind>> = {
  1: 'nonce_too_low',
  2: 'nonce_too_high',
  // An invalid opcode in execution-apis; under EIP-7966 a timeout, whose words tell.
  4: 'execution_failed',
  // EIP-7966: not ready to take a transaction.
  5: 'unavailable',
  401: 'unauthorized',
  402: 'quota_exceeded',
  403: 'unauthorized',
  408: 'timeout',
  429: 'rate_limited',
  500: 'internal',
  4444: 'state_unavailable',
  4445: 'state_unavailable',
  [-32601]: 'method_not_found',
  [-32602]: 'invalid_params',
  [-32603]: 'internal',
  [-32004]: 'method_not_found',
  [-32005]: 'limit_exceeded',
  [-32014]: 'state_unavailable',
  [-38010]: 'nonce_too_low',
  [-38011]: 'nonce_too_high',
  [-38012]: 'underpriced',
  [-38013]: 'intrinsic_gas_too_low',
  [-38014]: 'insufficient_funds',
  [-38015]: 'gas_limit_exceeded',
  [-38024]: 'invalid_transaction',
  [-38025]: 'invalid_transaction',
  [-38026]: 'range_too_large',
  [-39001]: 'unknown_block',
}

/** Whole messages that are no reverts under their code. */
const underReverts: readonly (readonly [kind: NodeErrorKind, message: RegExp])[] = [
  // Alchemy answers reads near the head so.
  ['unknown_block', /^unknown block$/i],
  // zkSync refuses all transactions under this code.
  ['already_known', /^known transaction\. transaction with hash \S+ is already in the system$/i],
]

/**
 * Classifies a node's error by its message and then by its code, because nodes agree on neither; the numbers of execution-apis come
 * first. Reads the first 1,000 characters of the message.
 */
export function classifyNodeError({ code, message }: NodeError): NodeErrorKind {
  // The message repeats the method name, which the caller chose.
  if (code === -32601) return 'method_not_found'
  // It comes from the wire and may not be a string.
  const start = typeof message === 'string' ? message.slice(0, 1_000) : ''
  if (code === 3) return underReverts.find(([, whole]) => whole.test(start))?.[0] ?? 'reverted'
  const byNumber = kindsByStandard[code]
  if (byNumber !== undefined) return byNumber
  return nodeWordings.find(({ pattern }) => pattern.test(start))?.kind ?? kindsByCode[code] ?? 'unknown'
}
