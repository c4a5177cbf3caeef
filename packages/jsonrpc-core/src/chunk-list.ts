/** Chunks shorter than this are joined, in bytes. */
const small = 4_096
/** Length at which a joined chunk grows no further, in bytes. */
const longestJoined = 65_536

/** The chunks of a body as they come. Small ones are joined, so a body in tiny pieces costs little more than its bytes. */
export class ChunkList {
  readonly chunks: Uint8Array[] = []
  byteLength = 0
  /** The storage of the last chunk, if it was joined and may grow. */
  #block: Uint8Array | undefined

  add(chunk: Uint8Array): void {
    this.byteLength += chunk.byteLength
    const { chunks } = this
    const last = chunks.at(-1)
    const growing = this.#block !== undefined ? longestJoined : small
    if (last === undefined || chunk.byteLength >= small || last.byteLength >= growing) {
      this.#block = undefined
      chunks.push(chunk)
      return
    }
    const length = last.byteLength + chunk.byteLength
    if (this.#block === undefined || length > this.#block.byteLength) {
      this.#block = new Uint8Array(2 * length)
      this.#block.set(last)
    }
    this.#block.set(chunk, last.byteLength)
    chunks[chunks.length - 1] = this.#block.subarray(0, length)
  }

  /** Returns the first chunk, joined with the next ones until it has `length` bytes or is the only one. */
  head(length: number): Uint8Array | undefined {
    const { chunks } = this
    while (chunks.length > 1 && chunks[0]!.byteLength < length) {
      const [first, second] = chunks.splice(0, 2) as [Uint8Array, Uint8Array]
      const joined = new Uint8Array(first.byteLength + second.byteLength)
      joined.set(first)
      joined.set(second, first.byteLength)
      chunks.unshift(joined)
      this.#block = undefined
    }
    return chunks[0]
  }
}
