import type { IncomingMessage } from 'node:http'
import zlib from 'node:zlib'

/**
 * Calls `done` once: with the body, or with undefined as soon as it is longer than `cap` bytes; the rest is then not read.
 * A body that breaks off is never reported, since its connection is gone.
 */
export function readBody(
  request: IncomingMessage,
  declaredLength: string | undefined,
  cap: number,
  done: (body: Uint8Array | undefined) => void,
): void {
  if (Number(declaredLength) > cap) return done(undefined)
  let body: Uint8Array | undefined
  let length = 0
  let over = false
  request.on('data', (chunk: Uint8Array) => {
    if (over) return
    const begin = length
    length += chunk.byteLength
    if (length > cap) {
      over = true
      body = undefined
      done(undefined)
      return
    }
    // Nearly every body is one chunk. Others are gathered in a buffer that doubles, so that tiny chunks cost little more than their bytes.
    if (body === undefined) {
      body = chunk
      return
    }
    if (length > body.byteLength) {
      const roomier = new Uint8Array(Math.max(length, Math.min(2 * length, cap)))
      roomier.set(body.subarray(0, begin))
      body = roomier
    }
    body.set(chunk, begin)
  })
  request.on('end', () => {
    if (!over) done(body === undefined ? new Uint8Array() : body.subarray(0, length))
  })
}

type Decoder = (
  body: Uint8Array,
  options: { readonly maxOutputLength: number },
  done: (error: NodeJS.ErrnoException | null, plain: Uint8Array) => void,
) => void

/** Reads `deflate` with zlib's head (RFC 9110 §8.4.1.2) and without, as some senders leave it out; the first byte tells. */
const inflate: Decoder = (body, options, done) =>
  ((body[0] ?? 0) & 0x0f) === 8 ? zlib.inflate(body, options, done) : zlib.inflateRaw(body, options, done)

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: zlib.gunzip,
  'x-gzip': zlib.gunzip,
  deflate: inflate,
  br: zlib.brotliDecompress,
  // Node has it from 22.15 on.
  ...('zstdDecompress' in zlib ? { zstd: zlib.zstdDecompress } : {}),
}

/** The encodings in which a body is read, as `Accept-Encoding` lists them. */
export const acceptedEncodings: string = Object.keys(decoders)
  .filter((name) => name !== 'x-gzip')
  .join(', ')

/** Finds the decoder of a `Content-Encoding`, in any case; undefined for an unknown one. */
export function decoderOf(encoding: string): Decoder | undefined {
  const name = encoding.trim().toLowerCase()
  return Object.hasOwn(decoders, name) ? decoders[name] : undefined
}

/** Calls `done` once: with the plain body, with `too_large` as soon as it is longer than `cap` bytes, or with `broken`. */
export function decompress(
  decode: Decoder,
  body: Uint8Array,
  cap: number,
  done: (plain: Uint8Array | 'too_large' | 'broken') => void,
): void {
  decode(body, { maxOutputLength: cap }, (error, plain) => {
    if (error === null) done(plain)
    else done(error.code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'broken')
  })
}
