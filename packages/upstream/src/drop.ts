import { isStream, type RpcResponse } from '@wayleave/jsonrpc-core'

/** Ends an answer that nobody reads. */
export function drop(response: RpcResponse): void {
  if (response.error === undefined && isStream(response.result)) response.result.cancel()
}
