import { classifyNodeError, type NodeError, type NodeErrorKind } from '@wayleave/evm-types'

/**
 * Finds the JSON-RPC error that a node answered with, as a handler's `RpcError` holds it, EIP-1193 providers throw it, or
 * ethers wraps it. Undefined for anything else.
 */
export function nodeErrorOf(thrown: unknown): NodeError | undefined {
  const { rpc, error, info } = (thrown ?? {}) as {
    readonly rpc?: unknown
    readonly error?: unknown
    readonly info?: { readonly error?: unknown }
  }
  const { code, message, data } = (rpc ?? info?.error ?? error ?? thrown ?? {}) as Partial<NodeError>
  return typeof code === 'number' && typeof message === 'string' ? { code, message, data } : undefined
}

/** Classifies a node's error; undefined if no node has answered. */
export function nodeErrorKindOf(thrown: unknown): NodeErrorKind | undefined {
  const error = nodeErrorOf(thrown)
  // In EIP-1193, the provider does not support the method.
  return error?.code === 4_200 ? 'method_not_found' : error && classifyNodeError(error)
}
