import { describeRpcError } from '../describe.ts'
import type { RpcError } from '../error.ts'

/** The error of EIP-1193: 4900 where no peer could be reached, else the peer's own code and data, or one of EIP-1474. */
export class ProviderRpcError extends Error {
  override readonly name: string = 'ProviderRpcError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown, cause?: RpcError) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.data = data
  }
}

/** Why a call failed, in the terms of EIP-1193. The `cause` tells the delivery. */
export function toProviderError(why: RpcError): ProviderRpcError {
  // Here the caller holds the key himself, so what a peer says beside a status is meant for him.
  if (why.rpc !== undefined) return new ProviderRpcError(why.rpc.code, why.rpc.message, why.rpc.data, why)
  return new ProviderRpcError(codeOf(why), why.message, undefined, why)
}

function codeOf(why: RpcError): number {
  if (why.code === 'connect' || why.code === 'disconnected') return 4900
  if (why.httpStatus === 401 || why.httpStatus === 403) return 4100
  if (why.httpStatus === 429) return -32005
  return describeRpcError(why).code
}
