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
  /** Makes the answer to a call that failed, or throws why it has none. Default: throws. */
  readonly recover?: (why: unknown) => RpcResponse
}

/** Sends a call once more where a kept connection broke before its answer began (RFC 9112 §9.3.1). Needs a transport over `createUndiciPort`, which reports such failures. */
export function repeatStale(
  handler: RpcHandler,
  { mayRepeat, onStale, recover = rethrow }: RepeatStaleOptions,
): RpcHandler {
  async function repeat(request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
    try {
      return await handler(request, context)
    } catch (again) {
      if (!(again instanceof RpcError) || again.delivery === 'unknown') return recover(again)
      // The first try may have arrived.
      return recover(
        new RpcError(again.code, again.message, { cause: again, httpStatus: again.httpStatus, rpc: again.rpc }),
      )
    }
  }
  return (request, context) =>
    handler(request, context).catch((why: unknown) => {
      if (!isStale(why)) return recover(why)
      onStale?.(why)
      return mayRepeat(request) ? repeat(request, context) : recover(why)
    })
}

function rethrow(why: unknown): never {
  throw why
}
