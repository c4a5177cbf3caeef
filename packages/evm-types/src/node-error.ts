import type { NodeErrorKind } from './node-error-kind.ts'
import { nodeWordings } from './node-wordings.ts'

/** A node's JSON-RPC error, as `RpcError.rpc` of a client or `error` of an answer holds it. */
export interface NodeError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/**
 * The meaning of a code where no words are known. Source: EIP-1474, JSON-RPC, execution-apis; the statuses of HTTP that
 * Alchemy, Infura, QuickNode and dRPC repeat inside.
 */
const kindsByCode: Readonly<Record<number, NodeErrorKind>> = {
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

const unknownBlock = /^unknown block$/i

/**
 * Classifies a node's error by its message and then by its code, because nodes agree on neither. Reads the first 1,000
 * characters of the message.
 */
export function classifyNodeError({ code, message }: NodeError): NodeErrorKind {
  // The message repeats the method name, which the caller chose.
  if (code === -32601) return 'method_not_found'
  // It comes from the wire and may not be a string.
  const start = typeof message === 'string' ? message.slice(0, 1_000) : ''
  // Alchemy answers reads near the head so.
  if (code === 3) return unknownBlock.test(start) ? 'unknown_block' : 'reverted'
  return nodeWordings.find(({ pattern }) => pattern.test(start))?.kind ?? kindsByCode[code] ?? 'unknown'
}
