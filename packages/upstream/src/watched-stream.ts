import { type RawJsonStream, type RpcContext, RpcError, type RpcErrorCode, tapStream } from '@wayleave/jsonrpc-core'

/** Failures of a stream that its peer alone can be blamed for; a deadline may have passed because of the reader. */
const peerFailures = new Set<RpcErrorCode>(['disconnected', 'invalid_response'])

/**
 * Passes a stream on. Calls `onEnd` once, with the bytes that came: when it has ended, when its reader has left or the call is cancelled,
 * or with an error when its peer broke it off.
 */
export function watchedStream(
  stream: RawJsonStream,
  context: RpcContext,
  onEnd: (broken: RpcError | undefined, bytes: number) => void,
): RawJsonStream {
  let hasEnded = false
  let bytes = 0
  let forget = (): void => {}
  const end = (broken?: RpcError): void => {
    if (hasEnded) return
    hasEnded = true
    forget()
    onEnd(broken, bytes)
  }
  // A context that is cancelled already calls at once.
  forget = context.onCancel(() => end())
  return tapStream(stream, {
    chunk: ({ byteLength }) => void (bytes += byteLength),
    end,
    left: end,
    broken: (thrown) => end(thrown instanceof RpcError && peerFailures.has(thrown.code) ? thrown : undefined),
  })
}
