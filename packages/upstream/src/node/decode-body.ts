import { type ArrivingHttpBody, type HttpReply, RpcError } from '@wayleave/jsonrpc-core'
import { Readable, type Transform } from 'node:stream'
import * as zlib from 'node:zlib'

/** Coded bodies up to this length are decoded at once, in bytes: a thread costs more. */
const longestAtOnce = 16_384
/** Bodies that are decoded at once have at most this length when decoded. */
const longestDecodedAtOnce = 131_072

interface Coding {
  decodeAtOnce(coded: Uint8Array, options: { readonly maxOutputLength: number }): Uint8Array
  createDecoder(): Transform
}

const inflate: Coding = { decodeAtOnce: zlib.inflateSync, createDecoder: zlib.createInflate }
/** Some peers leave out the wrapper of RFC 1950. */
const inflateRaw: Coding = { decodeAtOnce: zlib.inflateRawSync, createDecoder: zlib.createInflateRaw }
const gunzip: Coding = { decodeAtOnce: zlib.gunzipSync, createDecoder: zlib.createGunzip }

/** Finds the coding of a name in lower case. `first` is the first byte of the body. Node 20 has no zstd. */
function findCoding(name: string, first: number | undefined): Coding | undefined {
  if (name === 'gzip' || name === 'x-gzip') return gunzip
  if (name === 'deflate') return first !== undefined && (first & 0x0f) === 0x08 ? inflate : inflateRaw
  if (name === 'br') return { decodeAtOnce: zlib.brotliDecompressSync, createDecoder: zlib.createBrotliDecompress }
  if (name === 'zstd' && typeof zlib.createZstdDecompress === 'function') {
    return { decodeAtOnce: zlib.zstdDecompressSync, createDecoder: zlib.createZstdDecompress }
  }
  return undefined
}

/**
 * Decodes a body by its `Content-Encoding` (RFC 9110 §8.4.1): gzip, deflate, br, and zstd where the platform has it. A long one is decoded by
 * the platform's threads while it is read, and no faster, so that its reader bounds it. `start`: its first bytes.
 * @throws RpcError `invalid_response` for another coding, or a body that is not in its coding
 */
export function decodeBody(
  body: HttpReply['body'],
  contentEncoding: string,
  start: Uint8Array | undefined,
): HttpReply['body'] {
  const name = contentEncoding.trim().toLowerCase()
  if (name === '' || name === 'identity') return body
  const coding = findCoding(name, start?.[0])
  if (coding === undefined) {
    // Some peers name a charset there, or `none`.
    if (start?.[0] === 0x7b || start?.[0] === 0x5b) return body
    const known = 'expected a response in gzip, deflate, br, zstd or no coding'
    throw new RpcError(
      'invalid_response',
      /^[\w-]{1,20}$/.test(name) ? `${known}, got ${name}` : `${known}, got another one`,
    )
  }
  if (!Array.isArray(body)) return new DecodedBody(body as ArrivingHttpBody, coding, name)
  const chunks = body as readonly Uint8Array[]
  if (chunks.reduce((sum, { byteLength }) => sum + byteLength, 0) > longestAtOnce)
    return new DecodedBody(chunks, coding, name)
  try {
    return [
      coding.decodeAtOnce(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks), {
        maxOutputLength: longestDecodedAtOnce,
      }),
    ]
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return new DecodedBody(chunks, coding, name)
    throw notDecodable(name, thrown)
  }
}

function notDecodable(name: string, thrown: unknown): RpcError {
  return thrown instanceof RpcError
    ? thrown
    : new RpcError('invalid_response', `the response is not in its coding, ${name}`, { cause: thrown })
}

/** Bytes of a coding beyond those that were decoded: members of nothing have no end. */
const mostOverhead = 1_048_576

/** A body that is decoded while it is read. */
class DecodedBody implements AsyncIterableIterator<Uint8Array>, ArrivingHttpBody {
  readonly #name: string
  readonly #decoder: Transform
  readonly #decoded: AsyncIterator<Uint8Array>
  #taken = 0
  #given = 0

  constructor(coded: readonly Uint8Array[] | ArrivingHttpBody, coding: Coding, name: string) {
    this.#name = name
    this.#decoder = coding.createDecoder()
    const source = Readable.from(this.#counted(coded), { objectMode: true, highWaterMark: 1 })
    source.on('error', (why) => this.#decoder.destroy(why))
    this.#decoder.on('close', () => source.destroy())
    this.#decoded = source.pipe(this.#decoder)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async *#counted(coded: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of coded) {
      this.#taken += chunk.byteLength
      if (this.#taken > this.#given + mostOverhead) throw new Error('a coding without content')
      yield chunk
    }
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    try {
      const next = await this.#decoded.next()
      if (next.done !== true) this.#given += next.value.byteLength
      return next
    } catch (thrown) {
      throw notDecodable(this.#name, thrown)
    }
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.#decoder.destroy()
    return Promise.resolve({ done: true, value: undefined })
  }
}
