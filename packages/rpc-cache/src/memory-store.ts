import { EvictionQueue, hashOf } from './eviction-queue.ts'
import { HeightIndex } from './height-index.ts'
import type { KeptAnswer } from './kept-answer.ts'
import { entryBytes, copyText } from './kept-body.ts'
import { ShardedMap } from './sharded-map.ts'
import { StoredAnswer } from './stored-answer.ts'

/** Answers in memory, under one bound for all partitions. */
export interface MemoryStore {
  readonly maxBytes: number
  /** Most bytes of one entry, its key and overhead counted; a longer one is not kept. */
  readonly maxEntryBytes: number
  /** Bytes that are taken: keys, bodies, the overhead of each entry, what is reserved, and the order of evictions. At most `maxBytes`. */
  readonly bytes: number
  readonly entries: number
  /** Entries that had to make room since the store was made. */
  readonly evictions: number
  /** Opens the partition of a name; two names share no answer, and those who open the same name share all. `owner`: whose answers it holds. Default: nobody's. */
  partition(name: string, owner?: string): StorePartition
  /** Counts the answers of an owner, in all partitions of theirs; undefined where none is open or holds anything. */
  tallyOf(owner: string): StoreTally | undefined
  /** Takes bytes out of the bound for an answer that is being collected; false where an eighth of the bound is reserved already. */
  reserve(bytes: number): boolean
  /** Gives reserved bytes back. */
  release(bytes: number): void
  /** Forgets everything. What is set afterwards is not kept. */
  close(): void
}

/** The counts of an owner's answers. */
export interface StoreTally {
  /** Bytes of their keys and bodies, with the overhead of each. */
  readonly bytes: number
  readonly entries: number
  /** Answers that had to make room since the owner was counted first. */
  readonly evictions: number
}

/** The answers of one network and list of groups. */
export interface StorePartition {
  readonly entries: number
  /** Answers at or below this height are final; -1: none is yet. */
  readonly finalized: number
  /** Returns an answer, and counts as a use of it. */
  get(key: string): KeptAnswer | undefined
  /** Returns an answer, which counts as no use of it. */
  peek(key: string): KeptAnswer | undefined
  /** Keeps an answer in place of any other of that key; false where it is too long. The text of the key is copied, the body is not. */
  set(key: string, kept: KeptAnswer): boolean
  delete(key: string): void
  /** Whether an answer of this partition holds for ever: from its beginning, or since its block was finalized. */
  isFinal(kept: KeptAnswer): boolean
  /** Makes all answers at or below a height final. The height never goes back. */
  finalize(height: number): void
  /** Drops the answers above a height that are not final, in the time that dropping them takes; if the height is below the finalized one, those too. */
  dropAbove(height: number): void
  /**
   * Leaves it; call it once for each time that it was opened. What it holds stays until it has to make room. Once all have left, nothing
   * more is kept in it, and it is forgotten when it holds nothing.
   */
  close(): void
}

export interface MemoryStoreOptions {
  /** The bound, in bytes: at least 1 MiB. */
  readonly maxBytes: number
  /** Default: a thirty-second of `maxBytes`. */
  readonly maxEntryBytes?: number | undefined
}

/** Fewest bytes that a store can work with. */
const leastBytes = 1_048_576
/** Bytes of the bound for each key that is remembered after its eviction. */
const bytesPerGhost = 1_024
/** Most entries: a `Map` ends at 2^24. */
const mostEntries = 8_388_608

/** The counts of an owner, and of their partitions. */
interface Tally extends StoreTally {
  bytes: number
  entries: number
  evictions: number
  partitions: number
}

/**
 * Creates a store that evicts by S3-FIFO.
 * @throws RangeError if `maxBytes` or `maxEntryBytes` is no bound that it can keep
 */
export function createMemoryStore(options: MemoryStoreOptions): MemoryStore {
  const { maxBytes } = options
  const { maxEntryBytes = Math.floor(maxBytes / 32) } = options
  if (!Number.isSafeInteger(maxBytes) || maxBytes < leastBytes)
    throw new RangeError(`maxBytes must be a whole number from ${leastBytes}, but is ${maxBytes}`)
  if (!Number.isSafeInteger(maxEntryBytes) || maxEntryBytes < 1 || maxEntryBytes > maxBytes / 2)
    throw new RangeError(`maxEntryBytes must be a whole number from 1 to half of maxBytes, but is ${maxEntryBytes}`)
  const partitions = new Map<string, Partition>()
  const tallies = new Map<string, Tally>()
  const queue = new EvictionQueue<StoredAnswer>(2 ** Math.floor(Math.log2(maxBytes / bytesPerGhost)))
  let bytes = queue.ownBytes
  let reserved = 0
  let entries = 0
  let evictions = 0
  let isClosed = false

  const isFull = (needed: number): boolean => bytes + needed > maxBytes || entries >= mostEntries

  /** Evicts until `needed` more bytes have room. */
  function makeRoom(needed: number): void {
    while (isFull(needed)) {
      const entry = queue.next()
      if (entry === undefined) return
      evictions++
      entry.home.tally.evictions++
      entry.home.delete(entry.key)
    }
  }

  function enroll(owner: string): Tally {
    let tally = tallies.get(owner)
    if (tally === undefined) tallies.set(owner, (tally = { bytes: 0, entries: 0, evictions: 0, partitions: 0 }))
    tally.partitions++
    return tally
  }

  class Partition implements StorePartition {
    readonly #name: string
    readonly #owner: string
    readonly tally: Tally
    readonly #answers = new ShardedMap<StoredAnswer>()
    readonly #heights = new HeightIndex()
    /** How many have opened it and not left. */
    openers = 0

    constructor(name: string, owner: string) {
      this.#name = name
      this.#owner = owner
      this.tally = enroll(owner)
    }

    get entries(): number {
      return this.#answers.size
    }

    get finalized(): number {
      return this.#heights.finalized
    }

    get(key: string): KeptAnswer | undefined {
      const entry = this.#answers.get(key)
      if (entry !== undefined && entry.uses < 3) entry.uses++
      return entry
    }

    peek(key: string): KeptAnswer | undefined {
      return this.#answers.get(key)
    }

    set(key: string, kept: KeptAnswer): boolean {
      this.delete(key)
      const { text: own, byteLength } = copyText(key)
      const size = entryBytes(own, byteLength, kept)
      if (isClosed || this.openers === 0 || size > maxEntryBytes) return false
      makeRoom(size)
      const entry = new StoredAnswer(own, hashOf(own), kept, size, this)
      this.#answers.set(own, entry)
      this.#heights.add(entry)
      queue.add(entry)
      bytes += size
      entries++
      this.tally.bytes += size
      this.tally.entries++
      return true
    }

    delete(key: string): void {
      const entry = this.#answers.get(key)
      if (entry === undefined) return
      this.#answers.delete(key)
      this.#heights.remove(entry)
      queue.remove(entry)
      bytes -= entry.bytes
      entries--
      this.tally.bytes -= entry.bytes
      this.tally.entries--
      if (this.openers === 0) this.#forgetIfEmpty()
    }

    isFinal(kept: KeptAnswer): boolean {
      return kept.isFinal || (kept.height !== undefined && kept.height <= this.#heights.finalized)
    }

    finalize(height: number): void {
      this.#heights.finalize(height)
    }

    dropAbove(height: number): void {
      if (height < this.#heights.finalized) {
        for (const { key, isFinal, height: own } of this.#answers.values()) {
          if (own === undefined ? !isFinal : own > height) this.delete(key)
        }
      } else {
        for (const { key } of this.#heights.above(height)) this.delete(key)
      }
    }

    clear(): void {
      for (const { key } of this.#answers.values()) this.delete(key)
    }

    close(): void {
      this.openers--
      if (this.openers === 0) this.#forgetIfEmpty()
    }

    #forgetIfEmpty(): void {
      if (this.#answers.size > 0 || !partitions.delete(this.#name)) return
      if (--this.tally.partitions === 0) tallies.delete(this.#owner)
    }
  }

  return {
    maxBytes,
    maxEntryBytes,
    get bytes() {
      return bytes
    },
    get entries() {
      return entries
    },
    get evictions() {
      return evictions
    },
    partition(name, owner = '') {
      let partition = partitions.get(name)
      if (partition === undefined) partitions.set(name, (partition = new Partition(name, owner)))
      partition.openers++
      return partition
    },
    tallyOf: (owner) => tallies.get(owner),
    reserve(amount) {
      if (isClosed || reserved + amount > maxBytes / 8) return false
      makeRoom(amount)
      reserved += amount
      bytes += amount
      return true
    },
    release(amount) {
      reserved -= amount
      bytes -= amount
    },
    close() {
      isClosed = true
      for (const partition of partitions.values()) partition.clear()
      partitions.clear()
      tallies.clear()
    },
  }
}
