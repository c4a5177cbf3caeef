import { rawJsonFromText, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'
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

/**
 * Makes the question for the head of a node that has answered a call at its latest block, of which the answer says nothing, although it must
 * not be taken back: a nonce. Undefined: it is another call.
 */
export function evmHeadAfter({ method, params }: RpcRequest): RpcRequest | undefined {
  if (method !== 'eth_getTransactionCount') return undefined
  const args = params?.value()
  const isLatest = Array.isArray(args) && (args[1] ?? 'latest') === 'latest'
  return isLatest ? { method: 'eth_blockNumber', params: rawJsonFromText('[]'), notification: false } : undefined
}

/** Reads the safe or finalized block from an answer to the question for it; undefined: it is another question, or no block. */
export function evmSettledOf(request: RpcRequest, response: RpcResponse): number | undefined {
  const { method, params } = request
  if (method !== 'eth_getBlockByNumber' || params === undefined) return undefined
  return /^\["(?:safe|finalized)"/.test(params.text()) ? evmHeadOf(request, response) : undefined
}

/** Reads the latest head from an answer to the question for it; undefined: it is another question, or no head. */
export function evmLatestOf(request: RpcRequest, response: RpcResponse): number | undefined {
  const { method, params } = request
  if (method === 'eth_getBlockByNumber' && params?.text().startsWith('["latest"') !== true) return undefined
  return method === 'eth_blockNumber' || method === 'eth_getBlockByNumber' ? evmHeadOf(request, response) : undefined
}
