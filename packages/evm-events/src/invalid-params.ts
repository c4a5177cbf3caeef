import type { RpcErrorObject } from '@wayleave/jsonrpc-core'

/** Makes the error of params that are wrong. */
export function invalidParams(message: string): RpcErrorObject {
  return { code: -32602, message }
}
