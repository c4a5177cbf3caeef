import zlib from 'node:zlib'

type Decoder = (
  body: Uint8Array,
  options: { readonly maxOutputLength: number },
  done: (error: NodeJS.ErrnoException | null, plain: Uint8Array) => void,
) => void

/** Some call the bare stream `deflate`, which RFC 9110 §8.4.1.2 wraps in zlib's head; its first byte tells. */
const inflate: Decoder = (body, options, done) =>
  ((body[0] ?? 0) & 0x0f) === 8 ? zlib.inflate(body, options, done) : zlib.inflateRaw(body, options, done)

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: zlib.gunzip,
  'x-gzip': zlib.gunzip,
  deflate: inflate,
  br: zlib.brotliDecompress,
  // From Node 22.15 on.
  ...('zstdDecompress' in zlib ? { zstd: zlib.zstdDecompress } : {}),
}

/** What `Accept-Encoding` says: the encodings of a body that are read. */
export const acceptedEncodings: string = Object.keys(decoders)
  .filter((name) => name !== 'x-gzip')
  .join(', ')

/** Finds what reads a `Content-Encoding`, which is of any case; undefined where nothing does. */
export function decoderOf(encoding: string): Decoder | undefined {
  const name = encoding.trim().toLowerCase()
  return Object.hasOwn(decoders, name) ? decoders[name] : undefined
}

/**
 * Calls `done` once with the plain body, with `too_large` where it is longer than `cap` bytes (it is then not read any
 * further), or with `broken`.
 */
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
