import { isStream, type RpcResponse } from '@wayleave/jsonrpc-core'

/** Frees what hangs on an answer that nobody reads: its stream, its subscription. */
export function discard(response: RpcResponse): void {
  if (response.error !== undefined) return
  if (isStream(response.result)) response.result.cancel()
  response.subscription?.open(nobody)()
}

const nobody = { event: () => true, gap() {}, end() {} }
