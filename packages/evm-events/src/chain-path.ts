import type { RpcContext, RpcHandler } from '@wayleave/jsonrpc-core'
import { askOnce } from './ask-once.ts'
import { type StreamBlock, streamBlockOf } from './block.ts'
import type { BlockPosition } from './chain-source.ts'

/** The way from one block to another, which may be of another fork. */
export interface ChainPath {
  /** The last block that both have. */
  readonly ancestor: BlockPosition
  /** Blocks after it on the side of the first one, newest first. */
  readonly removed: readonly StreamBlock[]
  /** Blocks after it on the side of the second one, oldest first. */
  readonly added: readonly StreamBlock[]
}

export interface ChainPathsOptions {
  readonly ask: RpcHandler
  /** Names those who may be told the same blocks. */
  readonly shareOf: (context: RpcContext) => string
  readonly maxReorg: number
}

/** Finds ways by parent hashes. A block that was asked for lately is known, whoever asked for it. */
export interface ChainPaths {
  /** Undefined where no node has it. */
  blockOf(hash: string, context: RpcContext): Promise<StreamBlock | undefined>
  /**
   * Finds the way to a block that is no lower, and at most `most` higher; undefined where it is further, where no node has a block in
   * between, or where the fork is older than `maxReorg`.
   */
  between(from: BlockPosition, to: BlockPosition, most: number, context: RpcContext): Promise<ChainPath | undefined>
}

/** Blocks that are known at a time. */
const mostKnown = 2_048

export function createChainPaths({ ask, shareOf, maxReorg }: ChainPathsOptions): ChainPaths {
  /** By share and hash; the one that was asked for last at the end. */
  const known = new Map<string, StreamBlock>()

  async function blockOf(hash: string, context: RpcContext): Promise<StreamBlock | undefined> {
    const name = `${shareOf(context)} ${hash}`
    const found = known.get(name)
    if (found !== undefined) return found
    const block = streamBlockOf(await askOnce(ask, 'eth_getBlockByHash', [hash, false], context))
    if (block?.hash !== hash) return undefined
    known.set(name, block)
    for (const oldest of known.keys()) {
      if (known.size <= mostKnown) break
      known.delete(oldest)
    }
    return block
  }

  return {
    blockOf,
    async between(from, to, most, context) {
      if (to.number - from.number > most) return undefined
      const removed: StreamBlock[] = []
      const added: StreamBlock[] = []
      let [old, now] = [from, to]
      while (old.hash !== now.hash) {
        const isAbove = now.number > old.number
        const block = await blockOf(isAbove ? now.hash : old.hash, context)
        if (block === undefined || block.number === 0 || removed.length > maxReorg) return undefined
        const parent = { number: block.number - 1, hash: block.parentHash }
        if (isAbove) {
          if (block.number !== now.number) return undefined
          added.unshift(block)
          now = parent
        } else {
          if (block.number !== old.number) return undefined
          removed.push(block)
          old = parent
        }
      }
      return removed.length > maxReorg ? undefined : { ancestor: old, removed, added }
    },
  }
}
