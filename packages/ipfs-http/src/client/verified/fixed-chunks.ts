/**
 * Chunks of one size, in buffers that come round again: a chunk is good until two more have been taken. A long upload
 * would else leave more garbage behind than is collected in time.
 */
export function fixedChunks(size: number): (content: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array> {
  return async function* (content) {
    const buffers: Uint8Array[] = []
    let turn = 0
    let filled = 0
    for await (const piece of content) {
      for (let at = 0; at < piece.byteLength;) {
        const part = piece.subarray(at, at + size - filled)
        const buffer = (buffers[turn] ??= new Uint8Array(size))
        buffer.set(part, filled)
        filled += part.byteLength
        at += part.byteLength
        if (filled < size) continue
        yield buffer
        turn = (turn + 1) % 3
        filled = 0
      }
    }
    if (filled > 0) yield buffers[turn]!.subarray(0, filled)
  }
}
