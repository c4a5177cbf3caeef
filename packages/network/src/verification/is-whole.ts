import type { Verification } from '@wayleave/evm-verify'
import type { RpcRequest } from '@wayleave/jsonrpc-core'

/** Tells whether an answer is proven with its place, if it has one. */
export function isWhole({ method }: RpcRequest, { level, fields }: Verification): boolean {
  return level === 'proven' && (method !== 'eth_getTransactionByHash' || fields['blockHash'] === 'proven')
}
