import type { RawJson } from '@wayleave/jsonrpc-core'

/** A view of a network's head that the host keeps already, such as the `ChainView` of `@wayleave/upstream`. */
export interface HeadSource {
  /** Calls `listener` with each change, until the returned function is called. */
  watch(listener: (change: HeadChange) => void): () => void
}

/** A change of a network's head. */
export interface HeadChange {
  /** `new`: it is the head; numbers may be skipped. `dropped`: a block that was the head is on the chain no more. */
  readonly kind: 'new' | 'dropped'
  /** The header, as `newHeads` or `eth_getBlockByNumber` gives it; without one, a node is asked. */
  readonly header?: RawJson | undefined
}
