import type { Header } from './position.ts'

/** The most blocks that are remembered of one chain. */
const mostBlocks = 128

/** The hashes of a chain's last blocks, as one node tells them. */
export interface KnownBlocks {
  /** The last header learnt. */
  readonly head: Header | undefined
  /** The hash of the last block at or below a height; undefined where it is unknown, or the height above the head. */
  hashAt(number: number): string | undefined
  /** The lowest height from which on each block up to the head was told as the parent of the next. */
  readonly linkedFrom: number
  /** Learns a new head. One that contradicts what was known replaces all of it: the node has changed to another fork. */
  learn(header: Header): void
}

/**
 * Remembers the last 128 heights of one chain, parents included. Where none was made at a height, the block below stands there. A parent that
 * was not told itself is taken to be right below.
 */
export function createKnownBlocks(): KnownBlocks {
  const hashes = new Map<number, string>()
  /** Heights of blocks whose parent is the known one below them. */
  const linked = new Set<number>()
  let head: Header | undefined

  function put(number: number, hash: string): void {
    if (!hashes.delete(number)) linked.delete(number)
    hashes.set(number, hash)
  }

  /** The height of a block below another one. */
  function heightBelow(number: number, parentHash: string): number {
    for (let height = number - 1; height >= Math.max(0, number - mostBlocks); height--) {
      if (hashes.get(height) !== parentHash) continue
      while (hashes.get(height - 1) === parentHash) height--
      return height
    }
    return number - 1
  }

  return {
    get head() {
      return head
    },
    get linkedFrom() {
      let number = head?.number ?? 0
      while (linked.has(number)) number--
      return number
    },
    hashAt: (number) => (head === undefined || number > head.number ? undefined : hashes.get(number)),
    learn(header) {
      const { number, hash, parentHash } = header
      const parent = parentHash === undefined ? number : heightBelow(number, parentHash)
      let isOther = differ(hashes.get(number), hash)
      for (let height = parent; height < number; height++) isOther ||= differ(hashes.get(height), parentHash)
      if (isOther) {
        hashes.clear()
        linked.clear()
      }
      for (let height = Math.max(0, parent); height < number; height++) {
        put(height, parentHash!)
        if (height > parent) linked.add(height)
      }
      put(number, hash)
      if (parent < number && parent >= 0) linked.add(number)
      for (const oldest of hashes.keys()) {
        if (hashes.size <= mostBlocks) break
        hashes.delete(oldest)
        linked.delete(oldest)
      }
      head = header
    },
  }
}

/** The relation of two chains, by the highest block that both tell. */
export type Relation = 'same' | 'forked' | 'unknown'

/** Compares two chains. `unknown`: they have no block in common that is remembered. */
export function relationOf(one: KnownBlocks, other: KnownBlocks): Relation {
  if (one.head === undefined || other.head === undefined) return 'unknown'
  const highest = Math.min(one.head.number, other.head.number)
  for (let number = highest; number > highest - mostBlocks && number >= 0; number--) {
    const hash = one.hashAt(number)
    const reported = hash && other.hashAt(number)
    if (reported !== undefined) return reported === hash ? 'same' : 'forked'
  }
  return 'unknown'
}

/** Whether a fork is known to branch off from another chain, at most `depth` blocks below its own head. */
export function branchesOff(fork: KnownBlocks, from: KnownBlocks, depth: number): boolean {
  if (fork.head === undefined) return false
  const { number: highest } = fork.head
  for (let number = highest - 1; number >= Math.max(fork.linkedFrom, highest - depth); number--) {
    const hash = fork.hashAt(number)
    if (hash !== undefined && hash === from.hashAt(number)) return true
  }
  return false
}

function differ(known: string | undefined, reported: string | undefined): boolean {
  return known !== undefined && reported !== undefined && known !== reported
}
