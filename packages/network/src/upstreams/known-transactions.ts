import type { Clock } from '@wayleave/jsonrpc-core'

/** Transactions that the gateway knows of, and hashes that upstreams did not find. In this process alone, for ten minutes. */
export interface KnownTransactions {
  /** The block of a transaction, 0 while it waits for one; undefined: the gateway knows nothing of it. */
  blockOf(hash: string): number | undefined
  /** Notes that a transaction was accepted, or waits for a block at some upstream. */
  accepted(hash: string): void
  /** Notes the block of a transaction, and returns those upstreams that had the block, and did not find the transaction. */
  mined(hash: string, block: number): readonly string[]
  /** Notes that an upstream at a height does not find a hash. */
  notFound(hash: string, upstream: string, height: number): void
  /** Whether an upstream did not find a hash of late, and nobody has since. */
  isMissed(hash: string, upstream: string): boolean
  /** Forgets a transaction that no upstream finds any more; that it was not found is remembered. */
  lost(hash: string): void
  /** Forgets the transactions of a block that the chain has dropped. */
  dropped(block: number): void
}

/** Most transactions that are remembered, and most hashes that were not found. */
const most = 4_096
const forMs = 600_000

interface Known {
  readonly block: number
  readonly since: number
}

interface Sought {
  /** The heights of the upstreams, by name. */
  readonly heights: Map<string, number>
  readonly since: number
}

export function createKnownTransactions(clock: Clock): KnownTransactions {
  const known = new Map<string, Known>()
  const sought = new Map<string, Sought>()

  function get<T extends { readonly since: number }>(map: Map<string, T>, hash: string): T | undefined {
    const value = map.get(hash)
    if (value === undefined || clock.now() - value.since < forMs) return value
    map.delete(hash)
    return undefined
  }

  function set<T>(map: Map<string, T>, hash: string, value: T): void {
    map.delete(hash)
    if (map.size >= most) map.delete(map.keys().next().value!)
    map.set(hash, value)
  }

  return {
    blockOf: (hash) => get(known, hash)?.block,
    accepted(hash) {
      if (get(known, hash) === undefined) set(known, hash, { block: 0, since: clock.now() })
      sought.delete(hash)
    },
    mined(hash, block) {
      if (get(known, hash)?.block !== block) set(known, hash, { block, since: clock.now() })
      const heights = get(sought, hash)?.heights
      if (heights === undefined) return []
      sought.delete(hash)
      return [...heights].filter(([, height]) => height >= block).map(([upstream]) => upstream)
    },
    notFound(hash, upstream, height) {
      const missed = get(sought, hash)
      if (missed === undefined) set(sought, hash, { heights: new Map([[upstream, height]]), since: clock.now() })
      else missed.heights.set(upstream, height)
    },
    isMissed: (hash, upstream) => get(sought, hash)?.heights.has(upstream) === true,
    lost: (hash) => void known.delete(hash),
    dropped(block) {
      for (const [hash, { block: at }] of known) if (at === block) known.delete(hash)
    },
  }
}
