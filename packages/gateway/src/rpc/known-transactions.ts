/** Transactions that the gateway knows of: it accepted them, or told callers that they are mined. In this process alone. */
export interface KnownTransactions {
  /** The block of a transaction, 0 while it waits for one; undefined: the gateway knows nothing of it. */
  blockOf(hash: string): number | undefined
  /** Notes that a transaction was accepted. */
  accepted(hash: string): void
  /** Notes the block of a transaction, and returns those upstreams that did not find it before. */
  mined(hash: string, block: number): readonly string[]
  /** Notes that an upstream does not find a transaction. */
  notFound(hash: string, upstream: string): void
}

/** Most transactions that are remembered, and most that were not found. */
const mostKnown = 4_096
const mostSought = 512

export function createKnownTransactions(): KnownTransactions {
  const known = new Map<string, number>()
  const sought = new Map<string, readonly string[]>()

  function set<T>(map: Map<string, T>, hash: string, value: T, most: number): void {
    map.delete(hash)
    if (map.size >= most) map.delete(map.keys().next().value!)
    map.set(hash, value)
  }

  return {
    blockOf: (hash) => known.get(hash),
    accepted(hash) {
      if (!known.has(hash)) set(known, hash, 0, mostKnown)
    },
    mined(hash, block) {
      if (known.get(hash) !== block) set(known, hash, block, mostKnown)
      const upstreams = sought.get(hash)
      if (upstreams === undefined) return []
      sought.delete(hash)
      return upstreams
    },
    notFound(hash, upstream) {
      const upstreams = sought.get(hash) ?? []
      if (!upstreams.includes(upstream)) set(sought, hash, [...upstreams, upstream], mostSought)
    },
  }
}
