import { type RawJsonStream, RpcError, type RpcErrorCode } from '@wayleave/jsonrpc-core'

/** What its peer alone can be blamed for; a deadline may have passed because of who reads. */
const blamed = new Set<RpcErrorCode>(['disconnected', 'invalid_response'])

/** `stream` as it is; `onBroken` hears when its peer breaks it off, and not of a reader who leaves or cancels. */
export function watchedStream(stream: RawJsonStream, onBroken: (why: RpcError) => void): RawJsonStream {
  return {
    streaming: true,
    cancel: () => stream.cancel(),
    [Symbol.asyncIterator]() {
      const source = stream[Symbol.asyncIterator]()
      return {
        async next() {
          try {
            return await source.next()
          } catch (thrown) {
            if (thrown instanceof RpcError && blamed.has(thrown.code)) onBroken(thrown)
            throw thrown
          }
        },
        async return() {
          return (await source.return?.()) ?? { done: true, value: undefined }
        },
      }
    },
  }
}
