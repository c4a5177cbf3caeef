import type { ServerResponse } from 'node:http'
import { type RpcContext, type RpcError, toRpcError } from '@wayleave/jsonrpc-core'

/** Writes chunks that are here already. */
export function writeChunks(response: ServerResponse, chunks: readonly Uint8Array[]): void {
  response.cork()
  for (const chunk of chunks) response.write(chunk)
  response.end()
  response.uncork()
}

/**
 * Writes the rest of a body that is still arriving, as fast as it is taken; `onPassed` hears of each part. Where it breaks
 * off, or the context is cancelled, the connection is destroyed, because the status has been sent and a short body must
 * not look whole. Resolves with why it broke off, if it did.
 */
export async function writeArriving(
  response: ServerResponse,
  first: Uint8Array,
  source: AsyncIterator<Uint8Array>,
  context: RpcContext,
  onPassed: (bytes: number) => void,
): Promise<RpcError | undefined> {
  const forget = context.onCancel(() => response.destroy())
  try {
    if (!response.write(first)) await drained(response)
    for (;;) {
      const { done, value } = await source.next()
      if (done === true) break
      if (response.destroyed) return context.cancelled
      if (!response.write(value)) await drained(response)
      onPassed(value.byteLength)
    }
    response.end()
    return undefined
  } catch (thrown) {
    response.destroy()
    return toRpcError(thrown, 'disconnected', 'the answer broke off')
  } finally {
    forget()
    source.return?.().then(undefined, () => {})
  }
}

/** Resolves when what was written has been taken, or never will be. */
export function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve()
    const go = (): void => {
      response.off('drain', go)
      response.off('close', go)
      resolve()
    }
    response.on('drain', go)
    response.on('close', go)
  })
}
