import { createFrameTail, invalid } from './answer.ts'
import { RpcError } from './error.ts'
import { createFrameScanner } from './frame-scanner.ts'
import { type RawJson, rawJsonFromChunks, type RawJsonStream } from './raw-json.ts'

export type AnswerStream = RawJsonStream

/**
 * The result of an answer that is still arriving: `begun` is what came, `source` gives the rest,
 * `offset` is where the result starts in the first chunk.
 */
export function createAnswerStream(begun: readonly Uint8Array[], source: AsyncIterator<Uint8Array>, offset: number): AnswerStream {
  let used = false
  return {
    streaming: true,
    cancel() {
      used = true
      source.return?.().then(undefined, () => {})
    },
    [Symbol.asyncIterator]() {
      if (used) throw new TypeError('a stream is read once')
      used = true
      return cutResult(begun, source, offset)
    },
  }
}

async function* cutResult(
  begun: readonly Uint8Array[],
  source: AsyncIterator<Uint8Array>,
  offset: number,
): AsyncGenerator<Uint8Array> {
  const scanner = createFrameScanner()
  const tail = createFrameTail()
  let ended = false
  let from = offset
  try {
    for (let i = 0; ; i++) {
      const next = i < begun.length ? { done: false, value: begun[i]! } : await source.next()
      if (next.done === true) break
      const chunk = next.value
      const end = ended ? 0 : scanner.scan(chunk, from)
      if (end < 0) yield from === 0 ? chunk : chunk.subarray(from)
      else {
        if (!scanner.begun || !tail.accept(chunk, end)) throw invalid('the result leaves its frame')
        if (!ended && end > from) yield chunk.subarray(from, end)
        ended = true
      }
      from = 0
    }
    if (!tail.closed) throw new RpcError('disconnected', 'the response ended within its result')
  } finally {
    source.return?.().then(undefined, () => {})
  }
}

/** Holds a stream as a value. @throws RpcError `too_large` past `cap` bytes, or what the stream throws. */
export async function collectStream(stream: RawJsonStream, cap: number): Promise<RawJson> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.byteLength
    if (length > cap) throw new RpcError('too_large', `the result is longer than ${cap} bytes`)
    chunks.push(chunk)
  }
  return rawJsonFromChunks(chunks)
}
