import { freshBytes } from './buffer-pool.ts'

/** Buffers that were taken here, and those of them that are lent. */
const own = new WeakSet<ArrayBufferLike>()
const lent = new WeakSet<ArrayBufferLike>()
/** Buffers that came back, for all readers of the process. */
const free: ArrayBufferLike[] = []
let freeBytes = 0

/** Most bytes of free buffers that are kept. */
const mostFreeBytes = 16 * 2 ** 20
/** Free buffers that are looked at for one that fits. */
const mostLooks = 4

/**
 * Takes bytes of exactly this length, which may hold anything, of a buffer that came back. Fresh memory for each block becomes garbage outside
 * of V8's heap, for which V8 collects everything.
 */
export function takeBytes(length: number): Uint8Array {
  for (let at = free.length - 1; at >= 0 && at >= free.length - mostLooks; at--) {
    const buffer = free[at]!
    // A far longer one would hold more memory than whoever counts the bytes knows of.
    if (buffer.byteLength < length || buffer.byteLength > 2 * length) continue
    free.splice(at, 1)
    freeBytes -= buffer.byteLength
    return new Uint8Array(buffer, 0, length)
  }
  const bytes = freshBytes(length)
  own.add(bytes.buffer)
  return bytes
}

/** Lends bytes that were taken here, and that nothing else refers to, to whoever takes the content. Ignores others. */
export function lend({ buffer }: Uint8Array): void {
  if (own.has(buffer)) lent.add(buffer)
}

/** Gives bytes back that were lent: nobody reads them any more. False: nobody lent them, or enough are free, and they become garbage. */
export function giveBack({ buffer }: Uint8Array): boolean {
  if (!lent.delete(buffer) || freeBytes + buffer.byteLength > mostFreeBytes) return false
  free.push(buffer)
  freeBytes += buffer.byteLength
  return true
}
