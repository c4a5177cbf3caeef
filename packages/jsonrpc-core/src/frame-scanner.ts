import { loadSimdScan, type ScanState, type SimdScan } from './simd-scan.ts'

// The meaning of each byte outside strings: 1 opens, 2 closes, 3 quotes, 4 ends a scalar.
const outside = new Uint8Array(256)
outside[0x7b] = outside[0x5b] = 1
outside[0x7d] = outside[0x5d] = 2
outside[0x22] = 3
outside[0x2c] = outside[0x20] = outside[0x0a] = outside[0x0d] = outside[0x09] = 4

const quote = 0x22
const backslash = 0x5c
/** Chunks shorter than this, in bytes, are not worth a second view of their memory. */
const shortestForWords = 512

/** Follows one JSON value over chunks of bytes: balanced, not validated. */
export interface FrameScanner {
  /** Returns the index after the value in `chunk`, scanning from `from`, or -1 if the value goes on. Not called after the end. */
  scan(chunk: Uint8Array, from: number): number
  /** Whether any byte of the value has been seen. */
  readonly begun: boolean
}

export interface FrameScannerOptions {
  /** Loads the scan with SIMD, for the first chunk that is worth it; undefined: bytes are scanned one by one. */
  readonly simd?: () => SimdScan | undefined
  /** Shortest chunk that is scanned with SIMD, in bytes. Default 1,024: below that, copy and call cost more than they save. */
  readonly shortestForSimd?: number
}

export function createFrameScanner(options: FrameScannerOptions = {}): FrameScanner {
  return new ValueScanner(options)
}

class ValueScanner implements FrameScanner {
  begun = false
  readonly #simd: () => SimdScan | undefined
  readonly #shortestForSimd: number
  readonly #state: ScanState = { depth: 0, inString: false, escaped: false }

  constructor({ simd = loadSimdScan, shortestForSimd = 1_024 }: FrameScannerOptions) {
    this.#simd = simd
    this.#shortestForSimd = shortestForSimd
  }

  scan(chunk: Uint8Array, from: number): number {
    if (from >= chunk.byteLength) return -1
    if (!this.begun) this.begun = outside[chunk[from]!] !== 4 && outside[chunk[from]!] !== 2
    const simd = chunk.byteLength - from < this.#shortestForSimd ? undefined : this.#simd()
    return simd === undefined ? walk(chunk, from, this.#state) : this.#scanSteps(simd, chunk, from)
  }

  #scanSteps(simd: SimdScan, chunk: Uint8Array, from: number): number {
    const state = this.#state
    let i = from
    if (state.depth === 0 && !state.inString) {
      const end = walk(chunk.subarray(0, from + 1), from, state)
      if (end >= 0) return end
      i++
    }
    // A scalar is short.
    if (state.depth > 0 || state.inString) {
      const end = simd.scan(chunk, i, state)
      if ('ended' in end) return end.ended
      i = end.scanned
    }
    return walk(chunk, i, state)
  }
}

/** Scans byte by byte; see {@link FrameScanner.scan}. */
function walk(chunk: Uint8Array, from: number, state: ScanState): number {
  const end = chunk.byteLength
  let i = from
  if (i >= end) return -1
  if (state.escaped) {
    state.escaped = false
    i++
  }
  const words = wordsOf(chunk)
  const firstWord = -chunk.byteOffset & 3
  let { depth, inString } = state
  for (;;) {
    if (inString) {
      i = endOfRun(chunk, words, firstWord, i)
      if (i >= end) break
      if (chunk[i] === backslash) {
        i += 2
        if (i <= end) continue
        state.escaped = true
        break
      }
      inString = false
      i++
      if (depth === 0) return i
    }
    let kind = 0
    if (depth === 0) while (i < end && (kind = outside[chunk[i]!]!) === 0) i++
    else while (i < end && ((kind = outside[chunk[i]!]!) & 3) === 0) i++
    if (i >= end) break
    if (kind === 3) inString = true
    else if (kind === 1) depth++
    // A scalar ends before the delimiter, or the bracket of its container.
    else if (depth === 0) return i
    else if (--depth === 0) return i + 1
    i++
  }
  state.depth = depth
  state.inString = inString
  return -1
}

const noWords = new Int32Array(0)

/** Views the chunk's memory as words of four bytes, from the first aligned one. */
function wordsOf(chunk: Uint8Array): Int32Array {
  if (chunk.byteLength < shortestForWords) return noWords
  const start = chunk.byteOffset + (-chunk.byteOffset & 3)
  return new Int32Array(chunk.buffer, start, (chunk.byteOffset + chunk.byteLength - start) >> 2)
}

/** Returns the index of the first quote or backslash at or after `from`, or the chunk's length. Reads four bytes at a time where it can. */
function endOfRun(chunk: Uint8Array, words: Int32Array, firstWord: number, from: number): number {
  const end = chunk.byteLength
  let i = from
  // Most strings are short, and words start only where memory is aligned.
  const near = Math.min(end, words.length === 0 ? end : from + 8 + ((firstWord - from) & 3))
  while (i < near) {
    const byte = chunk[i]!
    if (byte === quote || byte === backslash) return i
    i++
  }
  let word = (i - firstWord) >> 2
  while (word < words.length) {
    const four = words[word]!
    const quotes = four ^ 0x22222222
    const backslashes = four ^ 0x5c5c5c5c
    // A byte of a word is zero where subtracting 1 borrows from a bit that was not set.
    if ((((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes)) & 0x80808080) break
    word++
  }
  i = Math.max(i, firstWord + (word << 2))
  while (i < end) {
    const byte = chunk[i]!
    if (byte === quote || byte === backslash) return i
    i++
  }
  return end
}

/** Checks that only one closing brace and white space follow a result. */
export function createFrameTail(): { accept(chunk: Uint8Array, from: number): boolean; readonly closed: boolean } {
  let closed = false
  return {
    accept(chunk, from) {
      for (let i = from; i < chunk.byteLength; i++) {
        const byte = chunk[i]!
        if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue
        if (byte !== 0x7d || closed) return false
        closed = true
      }
      return true
    },
    get closed() {
      return closed
    },
  }
}
