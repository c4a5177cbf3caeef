import {
  type CallContext,
  type Clock,
  createContext,
  RpcError,
  type RpcContext,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import type { BlockContents } from './block-logs.ts'
import type { BlockPosition, ChainUpdate } from './chain-source.ts'

/** A change whose block is to be read and told. */
export interface QueuedBlock extends ChainUpdate {
  /** The last block before it. */
  readonly parent: BlockPosition
  /** Only subscribers with a lower number are told that a block is added. */
  readonly before: number
  /** Subscribers that were told the block when they resumed, and are therefore told that it is removed. */
  readonly also?: ReadonlySet<number> | undefined
  readonly logs: boolean
  readonly receipts: boolean
}

export interface BlockQueueOptions {
  readonly clock: Clock
  /** The most blocks that are read at a time. */
  readonly concurrency: number
  readonly read: (queued: QueuedBlock, context: RpcContext) => Promise<BlockContents>
  /** Called with each block in the order of the queue, or with the reason why it could not be read. */
  readonly deliver: (queued: QueuedBlock, contents: BlockContents) => void
  readonly failed: (queued: QueuedBlock, why: RpcError) => void
}

/** Blocks that are read side by side and told one after the other. */
export interface BlockQueue {
  readonly size: number
  push(queued: QueuedBlock): void
  /** Takes back the last change, if it adds this block and was not told. Returns whether it was taken back. */
  retract(hash: string): boolean
  /** Tells whether the addition of this block waits to be told. */
  awaits(hash: string): boolean
  /** The block up to which all was told; undefined where nothing waits. */
  reached(): BlockPosition | undefined
  /** Forgets all, and ends the questions under way. */
  clear(): void
}

interface Waiting {
  readonly queued: QueuedBlock
  context: CallContext | undefined
  settled: { readonly contents: BlockContents } | { readonly why: RpcError } | undefined
}

export function createBlockQueue({ clock, concurrency, read, deliver, failed }: BlockQueueOptions): BlockQueue {
  let waiting: Waiting[] = []

  function begin(): void {
    for (const one of waiting.slice(0, concurrency)) {
      if (one.context !== undefined) continue
      const context = createContext({ clock, timeoutMs: Number.POSITIVE_INFINITY })
      one.context = context
      read(one.queued, context).then(
        (contents) => settle(one, { contents }),
        (thrown: unknown) => settle(one, { why: toRpcError(thrown, 'unavailable', 'a block could not be read') }),
      )
    }
  }

  function settle(one: Waiting, how: NonNullable<Waiting['settled']>): void {
    one.settled = how
    one.context!.release()
    for (;;) {
      const first = waiting[0]
      if (first?.settled === undefined) break
      waiting.shift()
      if ('why' in first.settled) failed(first.queued, first.settled.why)
      else deliver(first.queued, first.settled.contents)
    }
    begin()
  }

  function drop({ context }: Waiting): void {
    context?.cancel(new RpcError('aborted', 'nobody wants the block any more'))
  }

  return {
    get size() {
      return waiting.length
    },
    push(queued) {
      waiting.push({ queued, context: undefined, settled: undefined })
      begin()
    },
    retract(hash) {
      const last = waiting.at(-1)
      if (last?.queued.kind !== 'added' || last.queued.block.hash !== hash) return false
      waiting.pop()
      drop(last)
      return true
    },
    awaits: (hash) => waiting.some(({ queued }) => queued.kind === 'added' && queued.block.hash === hash),
    reached() {
      const first = waiting[0]?.queued
      return first && positionBefore(first)
    },
    clear() {
      const dropped = waiting
      waiting = []
      for (const one of dropped) drop(one)
    },
  }
}

/** The block up to which all was told before this change. */
export function positionBefore({ kind, block, parent }: QueuedBlock): BlockPosition {
  return kind === 'removed' ? block : parent
}
