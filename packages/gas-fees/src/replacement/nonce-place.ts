/** An account's counts of transactions, by a node's `eth_getTransactionCount`. */
export interface NonceCounts {
  /** By `latest`: those in blocks. */
  readonly latest: number
  /** By `pending`: these and those that wait without a gap. */
  readonly pending: number
}

/**
 * - `used`: a block has a transaction of this nonce; nothing can replace it any more.
 * - `waiting`: the node has a transaction of this nonce, which a new one replaces.
 * - `next`: a new transaction is taken as it is.
 * - `gap`: it waits until all of the `missing` nonces came, first and last; some nodes refuse it. Nothing before these is stuck.
 */
export type NoncePlace =
  | { readonly state: 'used' | 'waiting' | 'next' }
  | { readonly state: 'gap'; readonly missing: readonly [first: number, last: number] }

/** Tells where a nonce stands among an account's transactions. */
export function noncePlaceOf(nonce: number, { latest, pending }: NonceCounts): NoncePlace {
  if (nonce < latest) return { state: 'used' }
  if (nonce < pending) return { state: 'waiting' }
  const next = Math.max(latest, pending)
  return nonce === next ? { state: 'next' } : { state: 'gap', missing: [next, nonce - 1] }
}
