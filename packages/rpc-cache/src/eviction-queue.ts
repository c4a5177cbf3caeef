/** An entry of an {@link EvictionQueue}. */
export interface QueuedEntry<E> {
  /** The hash of its key. */
  readonly keyHash: number
  readonly bytes: number
  /** Uses since the queue last looked, 3 at most. */
  uses: number
  isMain: boolean
  older: E | undefined
  newer: E | undefined
}

interface List<E> {
  oldest: E | undefined
  newest: E | undefined
  bytes: number
}

/** The share of all bytes that new entries may take. */
const newShare = 0.1

/**
 * The order of evictions by S3-FIFO (Yang et al., SOSP 2023): new entries pass a short queue, and only those that were used there, or that come
 * back soon after they left it, reach the long one. A use counts a number up and moves nothing.
 */
export class EvictionQueue<E extends QueuedEntry<E>> {
  readonly #new: List<E> = { oldest: undefined, newest: undefined, bytes: 0 }
  readonly #main: List<E> = { oldest: undefined, newest: undefined, bytes: 0 }
  /** Hashes of keys that left the short queue, each at a place of its own until another takes it. */
  readonly #ghosts: Int32Array

  /** `ghosts`: keys to remember, a power of two. */
  constructor(ghosts: number) {
    this.#ghosts = new Int32Array(ghosts)
  }

  /** Bytes that the queue takes besides its entries. */
  get ownBytes(): number {
    return this.#ghosts.byteLength
  }

  add(entry: E): void {
    const { keyHash: hash } = entry
    const place = hash & (this.#ghosts.length - 1)
    const isBack = this.#ghosts[place] === hash
    if (isBack) this.#ghosts[place] = 0
    this.#push(entry, isBack)
  }

  remove(entry: E): void {
    const list = entry.isMain ? this.#main : this.#new
    const { older, newer } = entry
    if (older === undefined) list.oldest = newer
    else older.newer = newer
    if (newer === undefined) list.newest = older
    else newer.older = older
    entry.older = entry.newer = undefined
    list.bytes -= entry.bytes
  }

  /** Returns the entry to evict next, which stays until it is removed; undefined: there is none. */
  next(): E | undefined {
    for (;;) {
      const isMain = this.#new.bytes <= newShare * (this.#new.bytes + this.#main.bytes)
      const entry = (isMain ? this.#main.oldest : this.#new.oldest) ?? this.#new.oldest ?? this.#main.oldest
      if (entry === undefined) return undefined
      if (entry.uses === 0) {
        if (!entry.isMain) this.#remember(entry.keyHash)
        return entry
      }
      entry.uses = entry.isMain ? entry.uses - 1 : 0
      this.remove(entry)
      this.#push(entry, true)
    }
  }

  #push(entry: E, isMain: boolean): void {
    const list = isMain ? this.#main : this.#new
    entry.isMain = isMain
    entry.older = list.newest
    if (list.newest === undefined) list.oldest = entry
    else list.newest.newer = entry
    list.newest = entry
    list.bytes += entry.bytes
  }

  #remember(hash: number): void {
    this.#ghosts[hash & (this.#ghosts.length - 1)] = hash
  }
}

/** Returns the hash of a key, by FNV-1a with its bits mixed: never 0, which marks a free place. */
export function hashOf(key: string): number {
  let hash = 2_166_136_261
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 16_777_619)
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_519)
  return hash ^ (hash >>> 13) || 1
}
