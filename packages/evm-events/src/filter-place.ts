import { type Clock, type RpcContext, RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import { backOffMs, pause } from './ask-once.ts'
import type { StreamBlock } from './block.ts'
import type { ChainPaths } from './chain-path.ts'
import type { BlockPosition } from './chain-source.ts'
import { lastBlockTo } from './last-block-to.ts'

/** The place of a cursor on the chain as it is. */
export interface Place {
  /** The last block of the cursor's chain that is on the chain. */
  readonly ancestor: BlockPosition
  /** Blocks after it that were told, newest first. */
  readonly removed: readonly StreamBlock[]
}

/** Finds where cursors are. */
export interface PlaceFinder {
  /** Finds where a cursor's chain leaves the chain as it is, by going back along both. @throws LostCursorError */
  placeOf(cursor: BlockPosition, context: RpcContext): Promise<Place>
  /** Asks whether a node has the block of a cursor. @throws LostCursorError where none has it, as far as several questions show */
  expect(cursor: BlockPosition, context: RpcContext): Promise<void>
}

export interface PlaceFinderOptions {
  readonly ask: RpcHandler
  readonly clock: Clock
  readonly paths: Pick<ChainPaths, 'blockOf' | 'askFor'>
  /** Gives the head as it is. */
  readonly head: (context: RpcContext) => Promise<BlockPosition>
  readonly maxReorg: number
}

/** The cursor's blocks are gone, so that its changes cannot be told. */
export class LostCursorError extends RpcError {}

/** How often a block that was told is asked for. */
const mostAsked = 5

export function createPlaceFinder({ ask, clock, paths, head, maxReorg }: PlaceFinderOptions): PlaceFinder {
  /** Gives a block that was told; undefined where no node has it any more, as far as several questions show. */
  async function reportedBlock(
    hash: string,
    context: RpcContext,
    blockOf = paths.blockOf,
  ): Promise<StreamBlock | undefined> {
    for (let asked = 1; ; asked++) {
      const block = await blockOf(hash, context)
      if (block !== undefined || asked >= mostAsked) return block
      await pause(backOffMs(asked + 1), clock, context)
      if (context.cancelled !== undefined) throw context.cancelled
    }
  }

  async function placeOf(cursor: BlockPosition, context: RpcContext): Promise<Place> {
    const removed: StreamBlock[] = []
    const height = async (): Promise<number> => (await head(context)).number
    for (let at = cursor; ;) {
      const { number, hash } = at
      const there = await lastBlockTo(ask, number, height, context)
      // A node that is behind says nothing of the chain.
      if (there === undefined) throw new RpcError('unavailable', `expected block ${number}, got none`)
      if (there.hash === hash) return { ancestor: { number: there.number, hash }, removed }
      const block = removed.length < maxReorg ? await reportedBlock(hash, context) : undefined
      if (block === undefined) throw lost(at)
      // No block may have been made right below the one that was told before it.
      if (block.number < number) at = block
      else {
        removed.push(block)
        at = { number: number - 1, hash: block.parentHash }
      }
    }
  }

  return {
    placeOf,
    async expect(cursor, context) {
      if ((await reportedBlock(cursor.hash, context, paths.askFor)) === undefined) throw lost(cursor)
    },
  }
}

function lost({ number, hash }: BlockPosition): LostCursorError {
  return new LostCursorError('unavailable', `block ${number} (${hash}) was replaced, and no node has it`)
}
