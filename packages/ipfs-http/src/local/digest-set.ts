/**
 * Which blocks were seen, by 64 bits of each one's digest: two blocks of the same 64 bits count as one. Who asks it what
 * to keep may therefore keep one block too many, and never one too few. Between 11 and 32 bytes of memory a block.
 */
export class DigestSet {
  #words: Uint32Array = new Uint32Array(2 * 64)
  #size = 0

  /** How many were added. */
  get size(): number {
    return this.#size
  }

  /** Adds a multihash, and tells whether it was new. */
  add(multihash: Uint8Array, salt = 0): boolean {
    if (this.#size * 4 >= (this.#words.length / 2) * 3) this.#grow()
    const low = wordAt(multihash, multihash.length - 4) ^ salt
    // No digest may look like an empty place.
    const high = wordAt(multihash, multihash.length - 8) || 1
    if (!insert(this.#words, low >>> 0, high)) return false
    this.#size++
    return true
  }

  has(multihash: Uint8Array, salt = 0): boolean {
    const low = (wordAt(multihash, multihash.length - 4) ^ salt) >>> 0
    const high = wordAt(multihash, multihash.length - 8) || 1
    const words = this.#words
    const last = words.length - 2
    for (let at = (low * 2) & last; words[at + 1] !== 0; at = (at + 2) & last) {
      if (words[at] === low && words[at + 1] === high) return true
    }
    return false
  }

  #grow(): void {
    const old = this.#words
    const words = new Uint32Array(old.length * 2)
    for (let at = 0; at < old.length; at += 2) if (old[at + 1] !== 0) insert(words, old[at]!, old[at + 1]!)
    this.#words = words
  }
}

function insert(words: Uint32Array, low: number, high: number): boolean {
  const last = words.length - 2
  let at = (low * 2) & last
  for (; words[at + 1] !== 0; at = (at + 2) & last) if (words[at] === low && words[at + 1] === high) return false
  words[at] = low
  words[at + 1] = high
  return true
}

/** Four bytes as a number; what lies before the beginning counts as 0. */
function wordAt(bytes: Uint8Array, at: number): number {
  let word = 0
  for (let i = at; i < at + 4; i++) word = (word << 8) | (bytes[i] ?? 0)
  return word >>> 0
}
