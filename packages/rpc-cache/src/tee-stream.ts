import { type RawJson, rawJsonFromChunks, type RawJsonStream, tapStream } from '@wayleave/jsonrpc-core'
import type { MemoryStore } from './memory-store.ts'

/** Most bytes of an answer around its result that are expected. */
const longestFrame = 256

/**
 * Returns a stream that passes what `stream` gives, and calls `onWhole` with a copy at its end. Nothing is copied past `cap` bytes, or once the
 * store has no room for it. One that was announced as longer is returned as it is.
 */
export function teeStream(
  stream: RawJsonStream,
  cap: number,
  store: Pick<MemoryStore, 'reserve' | 'release'>,
  onWhole: (result: RawJson) => void,
): RawJsonStream {
  if ((stream.announcedBytes ?? 0) > cap + longestFrame) return stream
  let chunks: Uint8Array[] | undefined = []
  let held = 0

  function take(chunk: Uint8Array): void {
    if (chunks === undefined) return
    if (held + chunk.byteLength > cap || !store.reserve(chunk.byteLength)) return drop()
    held += chunk.byteLength
    // A copy: whoever gave the chunk may use its buffer again.
    chunks.push(new Uint8Array(chunk))
  }

  function drop(): void {
    store.release(held)
    held = 0
    chunks = undefined
  }

  function end(): void {
    const whole = chunks
    drop()
    if (whole !== undefined) onWhole(rawJsonFromChunks(whole))
  }

  return tapStream(stream, { chunk: take, end, left: drop, broken: drop })
}
