/** A line, or the sign of one that was longer than it may be. */
export type Line = Uint8Array | 'too_long'

const lineFeed = 0x0a

/** Cuts a stream of bytes into lines. Those longer than `most` bytes are skipped without being kept. The end of the stream ends a line. */
export async function* readLines(stream: AsyncIterable<Uint8Array | string>, most: number): AsyncGenerator<Line, void> {
  let parts: Uint8Array[] = []
  let size = 0
  const take = (part: Uint8Array): void => {
    size += part.length
    if (size > most) parts = []
    else if (part.length > 0) parts.push(part)
  }
  const line = (): Line => {
    const whole: Line = size > most ? 'too_long' : Buffer.concat(parts)
    parts = []
    size = 0
    return whole
  }
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    let start = 0
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      take(bytes.subarray(start, end))
      yield line()
      start = end + 1
    }
    take(bytes.subarray(start))
  }
  if (size > 0) yield line()
}
