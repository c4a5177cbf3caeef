import { IpfsError } from '../error.ts'
import type { ByteStream } from '../backend.ts'
import { buzhashCut, buzhashMost } from './chunkers-buzhash.ts'
import { rabinCut } from './chunkers-rabin.ts'
import { type BufferPool, freshBytes } from './buffer-pool.ts'

/**
 * Splits content into chunks. No chunk is empty, and empty content has none. The memory of a chunk is written again only
 * once it is released to `pool`.
 */
export type Chunker = (content: ByteStream, pool?: BufferPool | undefined) => AsyncIterable<Uint8Array>

/** Bytes of the longest chunk: others take blocks of up to 2 MiB, with the message that wraps the chunk. Source: Kubo. */
const mostChunkBytes = 2 * 1024 * 1024 - 256

/**
 * Makes the chunker of a name: `size-262144`, `rabin`, `rabin-262144`, `rabin-18-256-512` (least, average, most), or
 * `buzhash`. '' and `default` mean `size-262144`. Source: Kubo, `ipfs add --chunker`.
 * @throws IpfsError `bad_argument`
 */
export function parseChunker(text: string): Chunker {
  if (text === '' || text === 'default') return chunker(262_144, whole)
  if (text === 'buzhash') return chunker(buzhashMost, buzhashCut)
  const [kind, ...parts] = text.split('-')
  const sizes = parts.map((part, at) => sizeOf(part, ['min', 'avg', 'max'][at], text))
  const [first = 262_144, average = first, most = first] = sizes
  if (kind === 'size' && sizes.length === 1) {
    return chunker(inRange(first, 1, mostChunkBytes, text), whole)
  }
  if (kind === 'rabin' && sizes.length <= 1) {
    return rabin(Math.floor(first / 3), first, first + Math.floor(first / 2), text)
  }
  if (kind === 'rabin' && sizes.length === 3) return rabin(first, average, most, text)
  throw new IpfsError(
    'bad_argument',
    `expected a chunker like size-262144, rabin, rabin-18-256-512, buzhash, came ${text}`,
  )
}

function rabin(least: number, average: number, most: number, text: string): Chunker {
  inRange(least, 16, mostChunkBytes, text)
  inRange(average, least, mostChunkBytes, text)
  inRange(most, average, mostChunkBytes, text)
  return chunker(most, rabinCut(least, average, most))
}

function sizeOf(part: string, label: string | undefined, text: string): number {
  const digits = label !== undefined && part.startsWith(`${label}:`) ? part.slice(4) : part
  if (/^\d{1,9}$/.test(digits)) return Number(digits)
  throw new IpfsError('bad_argument', `expected sizes in bytes in the chunker, came ${text}`)
}

function inRange(size: number, least: number, most: number, text: string): number {
  if (size >= least && size <= most) return size
  throw new IpfsError('bad_argument', `expected sizes from ${least} to ${most} in the chunker, came ${text}`)
}

/** Cuts content by `cut`, which tells the length of the first chunk in `bytes`: it is given `most` bytes, fewer only at the end. */
function chunker(most: number, cut: (bytes: Uint8Array) => number): Chunker {
  return async function* chunks(content, pool) {
    let isLong = false
    const uncut = createJoiner((length) => {
      // Short content needs no buffer for a whole chunk. Cuts other than `whole` leave several chunks in one buffer.
      if (!isLong) return freshBytes(Math.min(most, 4 * length))
      return cut === whole && pool ? pool.take(most) : freshBytes(most)
    })
    for await (const part of content) {
      for (let rest = part; rest.length > 0;) {
        const added = rest.subarray(0, most - uncut.bytes.length)
        rest = rest.subarray(added.length)
        uncut.append(added)
        if (uncut.bytes.length < most) continue
        isLong = true
        yield uncut.take(cut(uncut.bytes))
      }
    }
    while (uncut.bytes.length > 0) yield uncut.take(cut(uncut.bytes))
  }
}

function whole(bytes: Uint8Array): number {
  return bytes.length
}

/** Joins parts of a stream into one piece, and copies only those that do not already lie together. */
interface Joiner {
  /** The bytes that were appended and not yet taken. */
  readonly bytes: Uint8Array
  append(part: Uint8Array): void
  /** Takes the first `length` of the bytes. */
  take(length: number): Uint8Array
}

/** `allocate` gives memory for at least `length` bytes, from the beginning of its buffer on. */
function createJoiner(allocate: (length: number) => Uint8Array): Joiner {
  let bytes: Uint8Array = new Uint8Array(0)
  /** The memory that was allocated last. Where `bytes` lie in it, what is behind them is free. */
  let own = bytes
  return {
    get bytes() {
      return bytes
    },
    append(part) {
      if (bytes.length === 0) {
        bytes = part
        return
      }
      const length = bytes.length + part.length
      if (own.buffer !== bytes.buffer || bytes.byteOffset + length > own.length) {
        own = allocate(length)
        own.set(bytes)
        bytes = own.subarray(0, bytes.length)
      }
      own.set(part, bytes.byteOffset + bytes.length)
      bytes = own.subarray(bytes.byteOffset, bytes.byteOffset + length)
    },
    take(length) {
      const taken = bytes.subarray(0, length)
      bytes = bytes.subarray(length)
      return taken
    },
  }
}
