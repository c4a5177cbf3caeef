import { Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'

/** Bytes that zlib gives at a time. */
const chunkSize = 65_536

/** Compresses bodies by zlib's own threads, a few at a time. */
export interface Compressor {
  /** Whether enough bodies are being compressed. */
  readonly isBusy: boolean
  /** Returns a body in gzip, which is compressed as it is read. `onRead` is called with the size of each part that was. */
  gzip(
    body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    onRead: (bytes: number) => void,
  ): AsyncIterable<Uint8Array>
}

/** Creates a compressor of at most `most` bodies at a time: none waits, since it may leave as it is. */
export function createCompressor(most: number): Compressor {
  let running = 0
  return {
    get isBusy() {
      return running >= most
    },
    gzip(body, onRead) {
      running++
      const coder = createGzip({ level: constants.Z_BEST_SPEED, chunkSize })
      const source = Readable.from(body, { objectMode: true, highWaterMark: 1 })
      source.on('error', (why) => coder.destroy(why))
      source.on('data', (part: Uint8Array) => onRead(part.byteLength))
      coder.on('close', () => {
        running--
        source.destroy()
      })
      const coded = source.pipe(coder)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
      const iterator: AsyncIterator<Uint8Array> = {
        next: () => coded.next(),
        // The iterator of a stream that was never read would leave the stream open.
        return() {
          coder.destroy()
          return Promise.resolve({ done: true, value: undefined })
        },
      }
      return { [Symbol.asyncIterator]: () => iterator }
    },
  }
}

/** RFC 9110 §12.4.2. */
const weight = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** Tells whether a caller takes gzip, and no less than a plain answer (RFC 9110 §12.5.3). A caller who names no coding gets none. */
export function acceptsGzip(rawHeaders: readonly string[]): boolean {
  const weights = new Map<string, number>()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.toLowerCase() !== 'accept-encoding') continue
    for (const part of rawHeaders[i + 1]!.toLowerCase().split(',')) {
      const [coding = '', ...parameters] = part.split(';').map((piece) => piece.trim())
      const given = parameters.find((parameter) => parameter.startsWith('q'))
      weights.set(coding === 'x-gzip' ? 'gzip' : coding, given === undefined ? 1 : Number(weight.exec(given)?.[1] ?? 0))
    }
  }
  const gzip = weights.get('gzip') ?? weights.get('*') ?? 0
  return gzip > 0 && gzip >= (weights.get('identity') ?? 0)
}
