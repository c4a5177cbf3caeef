import type { RpcError } from './error.ts'
import type { RpcErrorObject } from './response.ts'

/** What a caller is told of a call that got no answer: a code of EIP-1474 or geth's, and no detail. */
export function describeRpcError(error: RpcError): RpcErrorObject {
  // What came with an HTTP status speaks to us, of our key and our quota, not to the caller.
  if (error.rpc !== undefined && error.code !== 'http_status') return error.rpc
  switch (error.code) {
    case 'timeout':
      return { code: -32002, message: 'request timed out' }
    case 'too_large':
      return { code: -32003, message: 'response too large' }
    case 'overloaded':
      return { code: -32005, message: 'too many requests in flight' }
    case 'denied':
      return { code: -32002, message: error.message }
    case 'unavailable':
      return { code: -32603, message: 'internal error' }
    default:
      return { code: -32603, message: 'no usable answer from upstream' }
  }
}
