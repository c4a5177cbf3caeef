/** Buffers for chunks and blocks, one in each, which are used again once their bytes are written. */
export interface BufferPool {
  /** Bytes of exactly this length, which may hold anything. */
  take(length: number): Uint8Array
  /** Takes the buffer of these bytes back: nobody reads them any more. Ignores bytes of other buffers. */
  release(bytes: Uint8Array): void
}

/** Added to each buffer, so that one that held a chunk can hold the block that wraps a chunk. */
const slack = 64

/**
 * Makes the pool of one upload, which grows to as many buffers as are in use at once. Fresh memory for each chunk would
 * become garbage outside of V8's heap, for which V8 then collects everything every few MiB.
 */
export function createBufferPool(): BufferPool {
  const lent = new Set<ArrayBufferLike>()
  const free: ArrayBufferLike[] = []
  return {
    take(length) {
      const last = free.pop()
      const buffer = last !== undefined && last.byteLength >= length ? last : freshBytes(length + slack).buffer
      lent.add(buffer)
      return new Uint8Array(buffer, 0, length)
    },
    release({ buffer }) {
      if (lent.delete(buffer)) free.push(buffer)
    },
  }
}

/** The Buffer of Node; undefined in browsers, where all new memory is zeroed. */
const { Buffer: node } = globalThis as { readonly Buffer?: { allocUnsafeSlow(length: number): Uint8Array } }

/** Allocates memory of its own, which may hold anything. */
export function freshBytes(length: number): Uint8Array {
  return node === undefined ? new Uint8Array(length) : node.allocUnsafeSlow(length)
}
