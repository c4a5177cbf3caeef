import { type Clock, createRpcClient, type RpcHandler } from '@wayleave/jsonrpc-core'
import type { AskNode } from './chain-reader.ts'

/** Asks the node behind a handler, for `timeoutMs` a call at most; rejects with an `RpcError`. */
export function askHandler(handler: RpcHandler, clock: Clock, timeoutMs: number): AskNode {
  const client = createRpcClient(handler, { clock, timeoutMs })
  return (method, params, signal) => client.requestUnchecked(method, params, { signal })
}
