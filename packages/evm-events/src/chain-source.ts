import type { RawJson, RpcError, RpcHandler } from '@wayleave/jsonrpc-core'
import type { StreamBlock } from './block.ts'

/** A block by its height and its hash, 32 bytes in hex. */
export interface BlockPosition {
  readonly number: number
  readonly hash: string
}

/** A change of the followed head. */
export interface HeadUpdate {
  /** `new`: it is the head. `dropped`: it was, and is not on the chain of the head that follows. */
  readonly kind: 'new' | 'dropped'
  readonly at: BlockPosition
  /** The header or the block as a node told it, if it is at hand. */
  readonly header?: RawJson | undefined
}

/** The heads that are followed. Numbers may be skipped. A `ChainView` of `@wayleave/upstream` is one. */
export interface HeadSource {
  readonly head: BlockPosition | undefined
  /** The header or the block of the head, if it is at hand. */
  readonly header?: RawJson | undefined
  /** Calls `listener` with each change. Returns a function that forgets it. */
  watch(listener: (update: HeadUpdate) => void): () => void
}

/** Asks nodes, any that can answer. Each question has a context with a deadline. */
export type Ask = RpcHandler

/** A change at the end of the chain. */
export interface ChainUpdate {
  readonly kind: 'added' | 'removed'
  readonly block: StreamBlock
}

/** The receiver of a chain's changes. Its methods must not throw. */
export interface ChainListener {
  /** Takes the block after which changes are told, where that was not known yet when it began to watch. */
  begun?(after: StreamBlock): void
  update(update: ChainUpdate): void
  /**
   * Takes the end: continuity could not be kept, and nothing more comes. `after` is the block at the end of the chain as it was
   * told; undefined where no block was known yet.
   */
  lost(after: StreamBlock | undefined, why: RpcError): void
}

/** The chain as a list that only grows or shrinks at its end. It is followed only while somebody watches. */
export interface ChainStream {
  /** The end of the list; undefined while nobody watches, and until the first block is known. */
  readonly head: StreamBlock | undefined
  /** The blocks that are remembered, oldest first, each the parent of the next; 256 at most. */
  readonly recent: readonly StreamBlock[]
  /**
   * Tells each change after `head`, in order: removed blocks newest first, then added ones oldest first, each the child of the end
   * of the list. The first watcher is told what follows the head of the source at that time. Returns a function that ends it.
   */
  watch(listener: ChainListener): () => void
  /** Ends all watchers as `lost`. Nothing is asked afterwards. */
  close(): void
}
