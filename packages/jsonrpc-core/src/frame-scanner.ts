// What a byte means outside strings: 1 opens, 2 closes, 3 quotes, 4 ends a scalar.
const outside = new Uint8Array(256)
outside[0x7b] = outside[0x5b] = 1
outside[0x7d] = outside[0x5d] = 2
outside[0x22] = 3
outside[0x2c] = outside[0x20] = outside[0x0a] = outside[0x0d] = outside[0x09] = 4

const quote = 0x22
const backslash = 0x5c

/** Follows one JSON value over chunks of bytes: balanced, not validated. */
export interface FrameScanner {
  /** Index in `chunk` after the value, looking from `from`, or -1 where it goes on. Not called again after it has ended. */
  scan(chunk: Uint8Array, from: number): number
  /** Whether any byte of the value has been seen. */
  readonly begun: boolean
}

export function createFrameScanner(): FrameScanner {
  return new ValueScanner()
}

class ValueScanner implements FrameScanner {
  begun = false
  #depth = 0
  #inString = false
  #escaped = false

  scan(chunk: Uint8Array, from: number): number {
    const end = chunk.byteLength
    let i = from
    if (i < end) this.begun ||= outside[chunk[i]!] !== 4 && outside[chunk[i]!] !== 2
    while (i < end) {
      if (this.#inString) {
        i = this.#endOfString(chunk, i)
        if (i < 0) return -1
        if (this.#depth === 0) return i
      }
      let kind = 0
      if (this.#depth === 0) while (i < end && (kind = outside[chunk[i]!]!) === 0) i++
      else while (i < end && ((kind = outside[chunk[i]!]!) === 0 || kind === 4)) i++
      if (i === end) return -1
      if (kind === 4) return i
      if (kind === 3) this.#inString = true
      else if (kind === 1) this.#depth++
      else {
        // A scalar ends before the bracket of its container.
        if (this.#depth === 0) return i
        if (--this.#depth === 0) return i + 1
      }
      i++
    }
    return -1
  }

  #endOfString(chunk: Uint8Array, from: number): number {
    const end = chunk.byteLength
    let i = from
    if (this.#escaped && i < end) {
      this.#escaped = false
      i++
    }
    while (i < end) {
      const byte = chunk[i]!
      if (byte === quote) {
        this.#inString = false
        return i + 1
      }
      if (byte === backslash) {
        if (i + 1 === end) this.#escaped = true
        i++
      }
      i++
    }
    return -1
  }
}
