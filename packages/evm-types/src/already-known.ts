import { type RawJson, rawJsonFromValue, type RpcRequest } from '@wayleave/jsonrpc-core'
import { isHex } from './data.ts'
import { classifyNodeError, type NodeError } from './node-error.ts'
import { transactionHash } from './transaction-hash.ts'

/**
 * The answer to an `eth_sendRawTransaction` that failed because the node already has this very transaction: its hash.
 * Undefined for any other call or error. Never throws.
 */
export function alreadyKnown(request: RpcRequest, error: NodeError): RawJson | undefined {
  if (request.method !== 'eth_sendRawTransaction' || classifyNodeError(error) !== 'already_known') return undefined
  const raw = firstParam(request)
  const hash = isHex(raw, 2, Infinity) ? transactionHash(raw) : undefined
  return hash === undefined ? undefined : rawJsonFromValue(hash)
}

function firstParam({ params }: RpcRequest): unknown {
  try {
    const value = params?.value()
    return Array.isArray(value) ? value[0] : undefined
  } catch {
    return undefined
  }
}
