/** A buffer that grows in place up to its longest length (ES2024). */
export interface MappedBuffer extends ArrayBuffer {
  resize(byteLength: number): void
}

const Resizable = ArrayBuffer as unknown as new (
  byteLength: number,
  options: { readonly maxByteLength: number },
) => MappedBuffer

/**
 * Creates a buffer whose memory goes back to the system when it is collected. Engines map a buffer that can be resized by itself; all
 * others are parts of the allocator's heap, which stays as large as it once was.
 */
export function createMappedBuffer(byteLength: number, maxByteLength: number = byteLength): MappedBuffer {
  return new Resizable(byteLength, { maxByteLength })
}
