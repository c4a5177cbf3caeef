import { type NodeErrorKind, nodeWordings } from './node-wordings.ts'

/** A node's JSON-RPC error, as `RpcError.rpc` of a client or `error` of an answer holds it. */
export interface NodeError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Codes that mean the same whatever the message says. */
const kindsByCode: Readonly<Record<number, NodeErrorKind>> = {
  3: 'reverted',
  4444: 'state_unavailable',
  [-32601]: 'method_not_found',
  [-32602]: 'invalid_params',
  [-32005]: 'limit_exceeded',
}

/**
 * What a node's error means, by its words and then by its code: nodes agree on neither. The first 1,000 characters of the
 * message are looked at.
 */
export function classifyNodeError({ code, message }: NodeError): NodeErrorKind {
  if (code === 3) return 'reverted'
  const start = message.slice(0, 1_000)
  return nodeWordings.find(({ pattern }) => pattern.test(start))?.kind ?? kindsByCode[code] ?? 'unknown'
}
