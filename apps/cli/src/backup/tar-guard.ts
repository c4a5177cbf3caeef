import { Transform } from 'node:stream'

const blockBytes = 512
/** Longest extended header, in bytes: it holds a name. */
const longestExtended = 8_192
const file = new Set(['0', '\0'])
const extended = 'x'

/**
 * Creates a stream that passes a tar archive on as long as each of its headers is one that a backup has: a file with a size, or the extended
 * header of a long name. The reader behind it would collect a header of any length in memory, and wait for ever on a size that is no number.
 * `refusal` makes the error of any other one.
 */
export function createTarGuard(refusal: () => Error): Transform {
  const header = Buffer.alloc(blockBytes)
  let filled = 0
  /** Bytes of content that are still to come, with their padding. */
  let left = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let at = 0; at < chunk.length;) {
        if (left > 0) {
          const passed = Math.min(left, chunk.length - at)
          left -= passed
          at += passed
          continue
        }
        const copied = chunk.copy(header, filled, at)
        filled += copied
        at += copied
        if (filled < blockBytes) break
        filled = 0
        const size = contentOf(header)
        if (size === undefined) return done(refusal())
        left = Math.ceil(size / blockBytes) * blockBytes
      }
      done(undefined, chunk)
    },
    // The reader would wait for ever for the rest of an entry of which nothing has come.
    flush: (done) => done(filled > 0 || left > 0 ? new Error('the archive ends within an entry') : null),
  })
}

/** Reads the bytes of content behind a header; undefined where no backup has such a header. */
function contentOf(header: Buffer): number | undefined {
  if (header.every((byte) => byte === 0)) return 0
  const type = String.fromCharCode(header[156]!)
  const size = sizeOf(header.subarray(124, 136))
  if (size === undefined) return undefined
  return file.has(type) || (type === extended && size <= longestExtended) ? size : undefined
}

/** Reads a size: octal digits, or from 8 GiB on a number of 256s. */
function sizeOf(field: Buffer): number | undefined {
  if (field[0] === 0x80) {
    const size = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0)
    return Number.isSafeInteger(size) ? size : undefined
  }
  const digits = /^ *([0-7]+)[ \0]*$/.exec(field.toString('latin1'))?.[1]
  return digits === undefined ? undefined : Number.parseInt(digits, 8)
}
