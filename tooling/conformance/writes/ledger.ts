import type { Prepared } from './transactions.ts'

/** An answer of a node: its `error`, or else its `result`. */
export interface Reply {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** A chain with its nodes' pools of transactions. */
export interface Ledger extends AsyncDisposable {
  /** Gives a node a transaction. */
  send(transaction: Prepared, node: number): Promise<Reply>
  /** Asks a node anything else. */
  ask(method: string, params: readonly unknown[], node: number): Promise<Reply>
  /** Whether a block holds a transaction. */
  isMined(transaction: Prepared): Promise<boolean>
  /** Whether a block or a pool holds it. */
  isKnown(transaction: Prepared): Promise<boolean>
}

/** Time between two blocks, and until nodes have each other's transactions, in ms. */
const blockMs = 150
const gossipMs = 30

/** A chain whose nodes, but for private ones, tell each other their transactions. A block holds all that are pending, one of each nonce. */
export function startModel(
  nodes: readonly { readonly isPrivate: boolean }[],
  transactions: readonly Prepared[],
): Ledger {
  const byHash = new Map<string, Prepared>(transactions.map((each) => [each.hash, each]))
  const pools = nodes.map(() => new Set<Prepared>())
  const mined = new Set<Prepared>()
  const nonces = new Map<string, number>()
  const nonceOf = (sender: string): number => nonces.get(sender) ?? 0
  let height = 1

  function mine(): void {
    height++
    for (const pool of pools) {
      for (const transaction of pool) {
        if (transaction.nonce !== nonceOf(transaction.sender)) continue
        mined.add(transaction)
        nonces.set(transaction.sender, transaction.nonce + 1)
      }
      pool.clear()
    }
  }
  function gossip(): void {
    const reported = pools.flatMap((pool, i) => (nodes[i]!.isPrivate ? [] : [...pool]))
    pools.forEach((pool, i) => {
      if (!nodes[i]!.isPrivate) for (const transaction of reported) pool.add(transaction)
    })
  }
  const timers = [setInterval(mine, blockMs), setInterval(gossip, gossipMs)]

  const hasMined = (hash: unknown): boolean => mined.has(byHash.get(String(hash))!)
  return {
    async send(transaction, node) {
      const { hash, sender, nonce } = transaction
      if (nonce < nonceOf(sender))
        return { error: { code: -32000, message: `nonce too low: next nonce ${nonceOf(sender)}` } }
      if (pools[node]!.has(transaction)) return { error: { code: -32000, message: 'already known' } }
      const isTaken = [...pools[node]!].some((each) => each.sender === sender && each.nonce === nonce)
      if (isTaken) return { error: { code: -32000, message: 'replacement transaction underpriced' } }
      pools[node]!.add(transaction)
      return { result: hash }
    },
    async ask(method, [first], node) {
      if (method === 'eth_chainId') return { result: '0x1' }
      if (method === 'eth_blockNumber') return { result: `0x${height.toString(16)}` }
      const pending = [...pools[node]!]
      if (method === 'eth_getTransactionCount') {
        const own = pending.filter(({ sender }) => sender === first)
        return { result: `0x${(nonceOf(String(first)) + own.length).toString(16)}` }
      }
      if (method === 'eth_getTransactionReceipt') {
        return { result: hasMined(first) ? { transactionHash: first, status: '0x1', logs: [] } : null }
      }
      if (method === 'eth_getTransactionByHash') {
        return { result: hasMined(first) || pending.some(({ hash }) => hash === first) ? { hash: first } : null }
      }
      return { error: { code: -32601, message: `the method ${method} does not exist/is not available` } }
    },
    isMined: async (transaction) => mined.has(transaction),
    isKnown: async (transaction) => mined.has(transaction) || pools.some((pool) => pool.has(transaction)),
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearInterval(timer)
    },
  }
}
