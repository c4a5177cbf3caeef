import type { Hash } from '@wayleave/evm-types'
import type { RpcHandler } from '@wayleave/jsonrpc-core'

/** What is trusted, and all else is proven against. */
export type Anchor = HashAnchor | QuorumAnchor

/** A block that the caller vouches for. It proves itself and its ancestors. */
export interface HashAnchor {
  /** Its hash; or what gives that of the newest block that the caller vouches for, which `latest` then means. */
  readonly blockHash: Hash | (() => Hash | Promise<Hash>)
}

/** Endpoints of which so many are taken at their word about the hash of a block, and about which block is the latest. */
export interface QuorumAnchor {
  readonly quorum: {
    /** Of different operators: one who runs several has several votes. */
    readonly handlers: readonly RpcHandler[]
    readonly atLeast: number
  }
}

/** By what the block of an answer was known: a hash in the question, one of an {@link Anchor}, or nothing. */
export type AnchorKind = 'question' | 'hash' | 'quorum' | 'none'
