import { type RawJsonStream, type RpcContext, RpcError, type RpcErrorCode } from '@wayleave/jsonrpc-core'

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
  return {
    streaming: true,
    account: stream.account,
    cancel() {
      end()
      stream.cancel()
    },
    [Symbol.asyncIterator]() {
      const source = stream[Symbol.asyncIterator]()
      return {
        async next() {
          try {
            const part = await source.next()
            if (part.done === true) end()
            else bytes += part.value.byteLength
            return part
          } catch (thrown) {
            end(thrown instanceof RpcError && peerFailures.has(thrown.code) ? thrown : undefined)
            throw thrown
          }
        },
        async return() {
          end()
          return (await source.return?.()) ?? { done: true, value: undefined }
        },
      }
    },
  }
}
