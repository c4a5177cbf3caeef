import { IpfsError } from '../error.ts'
import type { ByteStream } from '../backend.ts'
import { buzhashCut, buzhashMost } from './chunkers-buzhash.ts'
import { rabinCut } from './chunkers-rabin.ts'
import { type BufferPool, freshBytes } from './buffer-pool.ts'

/** Splits content. A chunk is never empty: empty content has none. It is never written again, but in a room that was `done`. */
export type Chunker = (content: ByteStream, pool?: BufferPool | undefined) => AsyncIterable<Uint8Array>

/** A block of 2 MiB is the largest that others take; what wraps a chunk needs room. Source: Kubo. */
const mostChunkBytes = 2 * 1024 * 1024 - 256

/**
 * `size-262144`, `rabin`, `rabin-262144`, `rabin-18-256-512` (least, average, most), `buzhash`; '' and `default` are
 * the first. Source: Kubo, `ipfs add --chunker`.
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

/** `cut` tells how long the first chunk of `bytes` is; it gets `most` bytes, and fewer only at the end. */
function chunker(most: number, cut: (bytes: Uint8Array) => number): Chunker {
  return async function* chunks(content, pool) {
    let held: Uint8Array = new Uint8Array(0)
    /** Made here: behind what `held` shows, it has room that is nobody else's. */
    let room: Uint8Array = held
    let isLong = false
    for await (const part of content) {
      for (let rest = part; rest.length > 0;) {
        const added = rest.subarray(0, most - held.length)
        rest = rest.subarray(added.length)
        const length = held.length + added.length
        if (held.length === 0) {
          held = added
        } else {
          if (room.buffer !== held.buffer || held.byteOffset + length > room.length) {
            // Short content needs no room for a whole chunk; of other cuts, several chunks lie in one.
            room =
              isLong && cut === whole && pool ? pool.take(most) : freshBytes(isLong ? most : Math.min(most, 4 * length))
            room.set(held)
            held = room.subarray(0, held.length)
          }
          room.set(added, held.byteOffset + held.length)
          held = room.subarray(held.byteOffset, held.byteOffset + length)
        }
        if (length < most) continue
        isLong = true
        const cutAt = cut(held)
        yield held.subarray(0, cutAt)
        held = held.subarray(cutAt)
      }
    }
    while (held.length > 0) {
      const cutAt = cut(held)
      yield held.subarray(0, cutAt)
      held = held.subarray(cutAt)
    }
  }
}

function whole(bytes: Uint8Array): number {
  return bytes.length
}
