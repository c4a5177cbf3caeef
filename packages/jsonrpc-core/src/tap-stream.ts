import type { RawJsonStream } from './wire.ts'

/** Called about a stream on its way to its reader. The last three may be called several times, and one after another. */
export interface StreamTap {
  /** Called with each chunk before its reader has it: afterwards its buffer may be used again. */
  chunk(bytes: Uint8Array): void
  /** Called when the stream has ended. */
  end(): void
  /** Called when its reader leaves it. */
  left(): void
  /** Called when it breaks off. */
  broken(why: unknown): void
}

/** Passes a stream on, and tells a tap of it. */
export function tapStream(stream: RawJsonStream, tap: StreamTap): RawJsonStream {
  return {
    streaming: true,
    account: stream.account,
    announcedBytes: stream.announcedBytes,
    cancel() {
      tap.left()
      stream.cancel()
    },
    [Symbol.asyncIterator]() {
      const source = stream[Symbol.asyncIterator]()
      return {
        async next() {
          try {
            const read = await source.next()
            if (read.done === true) tap.end()
            else tap.chunk(read.value)
            return read
          } catch (why) {
            tap.broken(why)
            throw why
          }
        },
        async return() {
          tap.left()
          return (await source.return?.()) ?? { done: true, value: undefined }
        },
      }
    },
  }
}
