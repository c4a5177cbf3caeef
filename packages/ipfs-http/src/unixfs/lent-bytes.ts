import { freshBytes } from './buffer-pool.ts'

/** The lender of each buffer that is lent. */
const lenders = new WeakMap<ArrayBufferLike, BufferLender>()

/** Buffers of one reader of content. It lends each to whoever takes the content, and uses again those that come back. */
export interface BufferLender {
  /** Bytes of exactly this length, which may hold anything. */
  take(length: number): Uint8Array
  /** Lends bytes that were taken here, and that nothing else refers to. Ignores others. */
  lend(bytes: Uint8Array): void
  /** Takes a buffer back. */
  takeBack(buffer: ArrayBufferLike): void
}

/** Most free buffers that are kept: a fast reader takes each at once, and one that has become slow holds no more. */
const mostFree = 1

/** Makes the buffers of one reader. Fresh memory for each block becomes garbage outside of V8's heap, for which V8 collects everything. */
export function createBufferLender(): BufferLender {
  const own = new WeakSet<ArrayBufferLike>()
  const free: ArrayBufferLike[] = []
  return {
    take(length) {
      const last = free.pop()
      // A far longer one would hold more memory than whoever counts the bytes knows of.
      if (last !== undefined && last.byteLength >= length && last.byteLength <= 2 * length) {
        return new Uint8Array(last, 0, length)
      }
      const bytes = freshBytes(length)
      own.add(bytes.buffer)
      return bytes
    },
    lend({ buffer }) {
      if (own.has(buffer)) lenders.set(buffer, this)
    },
    takeBack(buffer) {
      if (free.length < mostFree) free.push(buffer)
    },
  }
}

/** Gives bytes back to whoever lent them: nobody reads them any more. Ignores bytes that nobody lent. */
export function giveBack({ buffer }: Uint8Array): void {
  const lender = lenders.get(buffer)
  lenders.delete(buffer)
  lender?.takeBack(buffer)
}
