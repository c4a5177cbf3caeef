/** The events of a {@link createResponseReader}. */
export interface ResponseEvents {
  /** Called with body bytes `from..to` of `bytes`, valid until the call returns. */
  body(bytes: Buffer, from: number, to: number): void
  /** Called when the response is over. */
  end(status: number): void
  /** Called if the bytes are no HTTP/1.1 response with a length. */
  fail(message: string): void
}

type State = 'head' | 'length' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailer' | 'failed'

/** Reads the responses of one keep-alive connection, bodies by content-length or chunked, without copying them. */
export function createResponseReader(events: ResponseEvents): (bytes: Buffer) => void {
  let state: State = 'head'
  let line = ''
  let status = 0
  let left = 0

  function end(): void {
    state = 'head'
    events.end(status)
  }

  function fail(message: string): void {
    state = 'failed'
    events.fail(message)
  }

  function readHead(head: string): void {
    status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0)
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    if (status === 0) fail(`a status line was expected, ${JSON.stringify(head.slice(0, 40))} came`)
    else if (length !== undefined) {
      left = Number(length)
      if (left === 0) end()
      else state = 'length'
    } else if (/\r\ntransfer-encoding: *chunked/i.test(head)) state = 'chunk-size'
    else fail('a response with a content-length or chunks was expected')
  }

  /** Reads up to `mark`, and passes the text before it to `use`, however many reads it took. */
  function readUntil(mark: string, bytes: Buffer, at: number, use: (text: string) => void): number {
    // A read may end in the middle of the mark.
    const held = line.length
    const text = line + bytes.toString('latin1', at)
    const found = text.indexOf(mark, Math.max(0, held - mark.length + 1))
    if (found < 0) {
      line = text
      return bytes.length
    }
    line = ''
    use(text.slice(0, found))
    return at + found + mark.length - held
  }

  function readChunkSize(text: string): void {
    left = Number.parseInt(text, 16)
    if (Number.isNaN(left)) fail('the size of a chunk was expected')
    else state = left === 0 ? 'trailer' : 'chunk'
  }

  function readChunkEnd(text: string): void {
    if (text === '') state = 'chunk-size'
    else fail('a chunk is longer than its size')
  }

  function readTrailer(text: string): void {
    if (text === '') end()
  }

  function readBody(bytes: Buffer, at: number): number {
    const to = Math.min(bytes.length, at + left)
    left -= to - at
    events.body(bytes, at, to)
    if (left > 0) return to
    if (state === 'chunk') state = 'chunk-end'
    else end()
    return to
  }

  function step(bytes: Buffer, at: number): number {
    switch (state) {
      case 'head':
        return readUntil('\r\n\r\n', bytes, at, readHead)
      case 'chunk-size':
        return readUntil('\r\n', bytes, at, readChunkSize)
      case 'chunk-end':
        return readUntil('\r\n', bytes, at, readChunkEnd)
      case 'trailer':
        return readUntil('\r\n', bytes, at, readTrailer)
      case 'failed':
        return bytes.length
      default:
        return readBody(bytes, at)
    }
  }

  return (bytes) => {
    for (let at = 0; at < bytes.length;) at = step(bytes, at)
  }
}
