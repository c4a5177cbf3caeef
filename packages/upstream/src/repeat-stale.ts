import { RpcError, type RpcContext, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'

const stale = new WeakSet<object>()

/** Marks a failure as that of a kept connection, which had served other calls and broke before the answer began. */
export function markStale(why: RpcError): RpcError {
  stale.add(why)
  return why
}

/** Whether a call failed on a kept connection before its answer began: the node may have closed it while it was idle. */
export const isStale = (why: unknown): why is RpcError => why instanceof RpcError && stale.has(why)

export interface RepeatStaleOptions<Asked = RpcRequest, Answer = RpcResponse> {
  /** Tells the calls that do no harm twice. */
  readonly mayRepeat: (asked: Asked) => boolean
  /** Called with each failure of a kept connection, whether the call is repeated or not: another node may have come in the place of the one before. */
  readonly onStale?: (why: RpcError) => void
  /** Makes the answer to a call that failed, or throws why it has none. Default: throws. */
  readonly recover?: (why: unknown) => Answer
}

/** Sends a call, or a batch, once more where a kept connection broke before its answer began (RFC 9112 §9.3.1). Needs a transport over `createUndiciPort`, which reports such failures. */
export function repeatStale<Asked = RpcRequest, Answer = RpcResponse>(
  handler: (asked: Asked, context: RpcContext) => Promise<Answer>,
  { mayRepeat, onStale, recover = rethrow }: RepeatStaleOptions<Asked, Answer>,
): (asked: Asked, context: RpcContext) => Promise<Answer> {
  async function repeat(asked: Asked, context: RpcContext): Promise<Answer> {
    try {
      return await handler(asked, context)
    } catch (again) {
      if (!(again instanceof RpcError) || again.delivery === 'unknown') return recover(again)
      // The first try may have arrived.
      return recover(
        new RpcError(again.code, again.message, { cause: again, httpStatus: again.httpStatus, rpc: again.rpc }),
      )
    }
  }
  return (asked, context) =>
    handler(asked, context).catch((why: unknown) => {
      if (!isStale(why)) return recover(why)
      onStale?.(why)
      return mayRepeat(asked) ? repeat(asked, context) : recover(why)
    })
}

function rethrow(why: unknown): never {
  throw why
}
