import type { Position } from '@wayleave/jsonrpc-core'

/** The chain as the cache needs it: a port, whose members are read with each call and must be cheap. */
export interface CacheChain {
  /** The served head; undefined where it is not known at this moment: heads are not followed, or no block came for long. */
  readonly head: Position | undefined
  /** The finalized block. A later value may be undefined, but never lower. */
  readonly finalized: Position | undefined
  /** The chain's pace, in ms a block. */
  readonly blockTimeMs: number
  /**
   * Calls `listener` with the height of the highest block that stays, when blocks above it are replaced: before `head` and `finalized` tell
   * anything of the new ones. Where it is not known whether any were replaced, as after a time without following heads, the finalized
   * height, or -1. Returns a function that forgets it.
   */
  onReorg(listener: (lastKept: number) => void): () => void
  /** Whether a block above the finalized one is of the served chain; for answers that another process kept. Default: not known, which is no. */
  has?(block: Required<Position>): boolean
}
