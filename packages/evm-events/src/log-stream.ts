import { type RawJsonStream, RpcError, toRpcError } from '@wayleave/jsonrpc-core'
import type { LogArray } from './log-array.ts'
import type { LogSegments } from './log-segments.ts'

/** A stream of what is held, then of the segments that follow. */
export function streamOf(held: Uint8Array[], array: LogArray, segments: LogSegments): RawJsonStream {
  let isOver = false
  let isUsed = false
  let ended: RpcError | undefined
  const end = (why: RpcError): void => {
    if (isOver) return
    isOver = true
    held.length = 0
    segments.cancel(why)
  }
  const cancelled = new RpcError('aborted', 'the stream was cancelled')
  const over: IteratorReturnResult<undefined> = { done: true, value: undefined }

  async function next(): Promise<IteratorResult<Uint8Array>> {
    for (;;) {
      if (ended !== undefined) throw ended
      const chunk = held.shift()
      if (chunk !== undefined) return { done: false, value: chunk }
      if (isOver) return over
      try {
        segments.give()
        const logs = await segments.next()
        if (isOver) continue
        held.push(...(logs === undefined ? array.end() : array.add(logs)))
        if (logs === undefined) isOver = true
      } catch (thrown) {
        if (isOver) continue
        const cause = toRpcError(thrown, 'unavailable', 'the logs could not be read')
        ended = new RpcError('disconnected', `the logs broke off: ${cause.message}`, { cause })
        end(ended)
      }
    }
  }

  return {
    streaming: true,
    cancel() {
      if (!isOver) ended = cancelled
      end(cancelled)
    },
    [Symbol.asyncIterator]() {
      if (isUsed) throw new TypeError('a stream is read once')
      isUsed = true
      return {
        next,
        async return() {
          end(cancelled)
          return over
        },
      }
    },
  }
}
