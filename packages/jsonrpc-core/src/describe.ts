import type { RpcError, RpcErrorCode } from './error.ts'
import type { RpcErrorObject } from './response.ts'

const told: Partial<Record<RpcErrorCode, readonly [code: number, message: string]>> = {
  timeout: [-32002, 'request timed out'],
  too_large: [-32003, 'response too large'],
  overloaded: [-32005, 'too many requests in flight'],
  unavailable: [-32603, 'internal error'],
}

/** What a caller is told of a call that got no answer: a code of EIP-1474 or geth's, and no detail. */
export function describeRpcError(error: RpcError): RpcErrorObject {
  // What came with an HTTP status speaks to us, of our key and our quota, not to the caller.
  if (error.rpc !== undefined && error.code !== 'http_status') return error.rpc
  if (error.code === 'denied') return { code: -32002, message: error.message }
  const [code, message] = told[error.code] ?? [-32603, 'no usable answer from upstream']
  return { code, message }
}
