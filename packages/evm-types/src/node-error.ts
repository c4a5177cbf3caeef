import { type NodeErrorKind, nodeWordings } from './node-wordings.ts'

/** A node's JSON-RPC error, as `RpcError.rpc` of a client or `error` of an answer holds it. */
export interface NodeError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Codes that mean the same whatever the message says. Source: EIP-1474, execution-apis. */
const kindsByCode: Readonly<Record<number, NodeErrorKind>> = {
  3: 'reverted',
  4444: 'state_unavailable',
  4445: 'state_unavailable',
  [-32601]: 'method_not_found',
  [-32602]: 'invalid_params',
  [-32005]: 'limit_exceeded',
  [-38010]: 'nonce_too_low',
  [-38011]: 'nonce_too_high',
  [-38012]: 'underpriced',
  [-38013]: 'intrinsic_gas_too_low',
  [-38014]: 'insufficient_funds',
  [-38015]: 'gas_limit_exceeded',
  [-38024]: 'invalid_transaction',
  [-38025]: 'invalid_transaction',
  [-38026]: 'limit_exceeded',
  [-39001]: 'unknown_block',
}

/**
 * Classifies a node's error by its message and then by its code, because nodes agree on neither. Reads the first 1,000
 * characters of the message.
 */
export function classifyNodeError({ code, message }: NodeError): NodeErrorKind {
  if (code === 3) return 'reverted'
  // The message repeats the method name, which the caller chose.
  if (code === -32601) return 'method_not_found'
  // It comes from the wire and may not be a string.
  const start = typeof message === 'string' ? message.slice(0, 1_000) : ''
  return nodeWordings.find(({ pattern }) => pattern.test(start))?.kind ?? kindsByCode[code] ?? 'unknown'
}
