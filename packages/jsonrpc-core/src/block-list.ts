import { createMappedBuffer } from './mapped-buffer.ts'

/** Length of a block, in bytes. */
const blockLength = 262_144

/**
 * The chunks of a body, copied into blocks whose memory goes back to the system when they are collected. Chunks as they come from a
 * connection are pieces of the allocator's heap, which stays as large as it once was.
 */
export class BlockList {
  readonly chunks: Uint8Array[] = []
  byteLength = 0
  #block: Uint8Array = new Uint8Array()
  #used = 0

  add(chunk: Uint8Array): void {
    this.byteLength += chunk.byteLength
    for (let at = 0; at < chunk.byteLength;) {
      if (this.#used === this.#block.byteLength) {
        this.#block = new Uint8Array(createMappedBuffer(blockLength))
        this.#used = 0
        this.chunks.push(this.#block)
      }
      const part = chunk.subarray(at, at + this.#block.byteLength - this.#used)
      this.#block.set(part, this.#used)
      this.#used += part.byteLength
      at += part.byteLength
      this.chunks[this.chunks.length - 1] = this.#block.subarray(0, this.#used)
    }
  }
}
