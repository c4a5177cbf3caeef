import type { Hash } from '@wayleave/evm-types'
import type { RpcHandler } from '@wayleave/jsonrpc-core'

/** The source of trust that everything else is proven against. */
export type Anchor = HashAnchor | QuorumAnchor

/** A block that the caller trusts. It proves itself and its ancestors. */
export interface HashAnchor {
  /** Its hash; or a function that returns the hash of the newest trusted block, which `latest` then means. */
  readonly blockHash: Hash | (() => Hash | Promise<Hash>)
}

/** Endpoints that vote on the hash of a block and on the latest block; `atLeast` of them must agree. */
export interface QuorumAnchor {
  readonly quorum: {
    /** Choose different operators: one who runs several endpoints has several votes. */
    readonly handlers: readonly RpcHandler[]
    readonly atLeast: number
  }
}

/** The source of trust in the block of an answer: a hash in the question, an {@link Anchor}, or nothing. */
export type AnchorKind = 'question' | 'hash' | 'quorum' | 'none'
