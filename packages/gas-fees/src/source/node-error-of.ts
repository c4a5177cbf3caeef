import { classifyNodeError, type NodeError, type NodeErrorKind } from '@wayleave/evm-types'

/**
 * The JSON-RPC error that a node answered with: as an `RpcError` of a handler holds it, as EIP-1193 providers throw it, or as
 * ethers wraps it. Undefined for what else can be thrown.
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

/** What it means; undefined where no node has answered. */
export function nodeErrorKindOf(thrown: unknown): NodeErrorKind | undefined {
  const error = nodeErrorOf(thrown)
  // EIP-1193: the provider does not support the method.
  return error?.code === 4_200 ? 'method_not_found' : error && classifyNodeError(error)
}
