import type { RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'
import { quantityOf, valueOf } from './chain-of.ts'
import { evmHeadOf } from './head-of.ts'

/** The next nonce of a sender. */
export interface SenderNonce {
  /** Its address, in lower case. */
  readonly sender: string
  readonly nonce: number
}

/** Reads the pending nonce that an answer tells; undefined: it tells none. */
export function evmNonceOf(request: RpcRequest, response: RpcResponse): SenderNonce | undefined {
  if (request.method !== 'eth_getTransactionCount') return undefined
  const args = request.params?.value()
  if (!Array.isArray(args) || args[1] !== 'pending' || typeof args[0] !== 'string') return undefined
  const nonce = quantityOf(valueOf(response))
  return nonce === undefined ? undefined : { sender: args[0].toLowerCase(), nonce }
}

/** Reads the latest head from an answer to the question for it; undefined: it is another question, or no head. */
export function evmLatestOf(request: RpcRequest, response: RpcResponse): number | undefined {
  const { method, params } = request
  if (method === 'eth_getBlockByNumber' && params?.text().startsWith('["latest"') !== true) return undefined
  return method === 'eth_blockNumber' || method === 'eth_getBlockByNumber' ? evmHeadOf(request, response) : undefined
}
