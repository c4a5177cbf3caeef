/** Questions and subscriptions of streams, as the nodes count them. */
export interface Tally {
  /** Questions for all logs or receipts of a block, by its hash. */
  readonly contents: ReadonlyMap<string, number>
  /** The most subscriptions of a kind that one upstream has had at a time, by the upstream's name and the kind. */
  readonly mostOpen: ReadonlyMap<string, number>
  /** Counts a question that a node was asked. */
  asked(method: string, params: readonly unknown[]): void
  /** Counts a subscription. Returns a function that ends it. */
  opened(upstream: string, kind: string): () => void
}

export function createTally(): Tally {
  const contents = new Map<string, number>()
  const mostOpen = new Map<string, number>()
  const open = new Map<string, number>()
  return {
    contents,
    mostOpen,
    asked(method, [about]) {
      const { blockHash } = Object(about) as { readonly blockHash?: unknown }
      const hash = method === 'eth_getLogs' ? blockHash : method === 'eth_getBlockReceipts' ? about : undefined
      if (typeof hash === 'string' && hash.length === 66) contents.set(hash, (contents.get(hash) ?? 0) + 1)
    },
    opened(upstream, kind) {
      const name = `${upstream} ${kind}`
      const now = (open.get(name) ?? 0) + 1
      open.set(name, now)
      mostOpen.set(name, Math.max(now, mostOpen.get(name) ?? 0))
      return () => void open.set(name, open.get(name)! - 1)
    },
  }
}
