import { askNode } from '@wayleave/conformance/two-nodes/nodes/ask-node'
import { askBatch } from './ask-batch.ts'

type Content = Readonly<Record<string, Readonly<Record<string, { readonly hash: string }>>>>

/** Hashes of the transactions that a node waits to mine. */
export async function poolOf(url: string): Promise<ReadonlySet<string>> {
  const { pending, queued } = await askNode<{ pending: Content; queued: Content }>(url, 'txpool_content')
  const bySender = [...Object.values(pending), ...Object.values(queued)]
  return new Set(bySender.flatMap((byNonce) => Object.values(byNonce).map(({ hash }) => hash)))
}

/** Transactions by hash, as their senders signed them. */
export interface RawTransactions {
  readonly get: (hash: string) => string | undefined
  /** Reads those from a node that are not known yet. */
  learn(url: string, hashes: Iterable<string>): Promise<void>
}

/** Keeps the newest 20,000. */
export function createRawTransactions(): RawTransactions {
  const raws = new Map<string, string>()
  return {
    get: (hash) => raws.get(hash),
    async learn(url, hashes) {
      const unknown = [...hashes].filter((hash) => !raws.has(hash))
      const found = await askBatch(
        url,
        unknown.map((hash) => ['debug_getRawTransaction', hash]),
      )
      for (const [i, raw] of found.entries()) if (typeof raw === 'string') raws.set(unknown[i]!, raw)
      for (const oldest of raws.keys()) {
        if (raws.size <= 20_000) break
        raws.delete(oldest)
      }
    },
  }
}

/** Hands transactions to a node; what it refuses it has, or has mined. */
export async function hand(url: string, raws: readonly string[]): Promise<void> {
  await askBatch(
    url,
    raws.map((raw) => ['eth_sendRawTransaction', raw]),
  ).catch(() => {})
}
