/** Memory that chunks and blocks are put together in, one in each, and that is used again once they are written. */
export interface Rooms {
  /** Exactly so long; holds anything. */
  take(length: number): Uint8Array
  /** Nobody reads these bytes any more. What lies in no room is ignored. */
  done(bytes: Uint8Array): void
}

/** So that what held a chunk can hold the block that wraps one. */
const slack = 64

/**
 * Makes the rooms of one upload: as many as are in use at once. Fresh memory for each chunk would become garbage that V8
 * hears of and does not see; it then collects everything every few MiB.
 */
export function createRooms(): Rooms {
  const lent = new Set<ArrayBufferLike>()
  const free: ArrayBufferLike[] = []
  return {
    take(length) {
      const last = free.pop()
      const buffer = last !== undefined && last.byteLength >= length ? last : freshBytes(length + slack).buffer
      lent.add(buffer)
      return new Uint8Array(buffer, 0, length)
    },
    done({ buffer }) {
      if (lent.delete(buffer)) free.push(buffer)
    },
  }
}

/** Where there is no Node, memory comes zeroed. */
const { Buffer: node } = globalThis as { readonly Buffer?: { allocUnsafeSlow(length: number): Uint8Array } }

/** New memory of its own that may hold anything. */
export function freshBytes(length: number): Uint8Array {
  return node === undefined ? new Uint8Array(length) : node.allocUnsafeSlow(length)
}
