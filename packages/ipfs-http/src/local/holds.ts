import { createDigestSet, type DigestSet } from './digest-set.ts'

/** The blocks that one open iteration uses. */
export interface Hold {
  /** Keeps a block from now on, whether it is here yet or not. */
  keep(multihash: Uint8Array): void
  /** Ends the hold with its iteration: from the next collection on, only pins keep its blocks. */
  release(): void
  /** Ends the hold at once, also for a collection that runs: nobody pins its blocks. */
  drop(): void
}

/** The blocks that no collection may remove, whatever the pins say. */
export interface Holds {
  /** Opens the hold of an iteration. */
  open(): Hold
  /** Begins to keep the blocks of iterations that end while a collection runs. Call the returned function at its end. */
  collecting(): () => void
  has(multihash: Uint8Array): boolean
}

/** Makes holds in memory, of at most 43 bytes for each block that an open iteration has used. */
export function createHolds(): Holds {
  const open = new Set<DigestSet>()
  const ended = new Set<DigestSet>()
  let collections = 0
  return {
    open() {
      const kept = createDigestSet()
      open.add(kept)
      return {
        keep: (multihash) => kept.add(multihash),
        release() {
          if (open.delete(kept) && collections > 0) ended.add(kept)
        },
        drop: () => void open.delete(kept),
      }
    },
    collecting() {
      collections++
      return () => {
        collections--
        if (collections === 0) ended.clear()
      }
    },
    has(multihash) {
      for (const kept of open) if (kept.has(multihash)) return true
      for (const kept of ended) if (kept.has(multihash)) return true
      return false
    },
  }
}
