import type { RpcContext } from '@wayleave/jsonrpc-core'

/** Waits for `work`, but rejects once the call is cancelled. */
export function unlessCancelled<T>(work: Promise<T>, context: RpcContext): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = context.onCancel(reject)
    work.then(resolve, reject).finally(forget)
  })
}
