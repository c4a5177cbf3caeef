import { RpcError, type RpcHandler, type RpcRequest } from '@wayleave/jsonrpc-core'

/**
 * Sends a call once more where a kept connection broke before its answer began (RFC 9112 §9.3.1), if `mayRepeat` allows it: the node may have
 * closed the connection while it was idle. Needs a transport that reports such failures, as that over `createUndiciPort` does.
 */
export function repeatStale(handler: RpcHandler, mayRepeat: (request: RpcRequest) => boolean): RpcHandler {
  return (request, context) =>
    handler(request, context).catch((why: unknown) => {
      if (!(why instanceof RpcError && why.isStale && mayRepeat(request))) throw why
      return handler(request, context)
    })
}
