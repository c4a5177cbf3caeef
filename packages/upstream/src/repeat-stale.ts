import { RpcError, type RpcContext, type RpcHandler, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'

const stale = new WeakSet<object>()

/** Marks a failure as that of a kept connection, which had served other calls and broke before the answer began. */
export function markStale(why: RpcError): RpcError {
  stale.add(why)
  return why
}

/** Whether a call failed on a kept connection before its answer began: the node may have closed it while it was idle. */
export const isStale = (why: unknown): why is RpcError => why instanceof RpcError && stale.has(why)

export interface RepeatStaleOptions {
  /** Tells the calls that do no harm twice. */
  readonly mayRepeat: (request: RpcRequest) => boolean
  /** Called with each failure of a kept connection, whether the call is repeated or not: another node may have come in the place of the one before. */
  readonly onStale?: (why: RpcError) => void
}

/** Sends a call once more where a kept connection broke before its answer began (RFC 9112 §9.3.1). Needs a transport over `createUndiciPort`, which reports such failures. */
export function repeatStale(handler: RpcHandler, { mayRepeat, onStale }: RepeatStaleOptions): RpcHandler {
  async function repeat(why: unknown, request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
    if (!isStale(why)) throw why
    onStale?.(why)
    if (!mayRepeat(request)) throw why
    try {
      return await handler(request, context)
    } catch (again) {
      if (!(again instanceof RpcError) || again.delivery === 'unknown') throw again
      // The first try may have arrived.
      throw new RpcError(again.code, again.message, { cause: again, httpStatus: again.httpStatus, rpc: again.rpc })
    }
  }
  return (request, context) => handler(request, context).catch((why: unknown) => repeat(why, request, context))
}
