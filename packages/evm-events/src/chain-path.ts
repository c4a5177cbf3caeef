import { type Clock, type RpcContext, RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import { askOnce } from './ask-once.ts'
import { type StreamBlock, streamBlockOf } from './block.ts'
import type { BlockPosition } from './chain-source.ts'
import { hex } from './quantity.ts'

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
  readonly clock: Clock
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
  /**
   * Reads the blocks after `from` up to `to` by their numbers, several at a time: as many as follow each other, and as come in half of the
   * time that is left, so that their number can be told in the other half. @throws RpcError where none does
   */
  after(from: BlockPosition, to: StreamBlock, context: RpcContext): Promise<readonly StreamBlock[]>
}

/** Blocks that are known at a time. */
const mostKnown = 2_048
/** Blocks that are asked for at a time. */
const mostAtOnce = 8

export function createChainPaths({ ask, clock, shareOf, maxReorg }: ChainPathsOptions): ChainPaths {
  /** By share and hash; the one that was asked for last at the end. */
  const known = new Map<string, StreamBlock>()

  async function blockOf(hash: string, context: RpcContext): Promise<StreamBlock | undefined> {
    const name = `${shareOf(context)} ${hash}`
    const found = known.get(name)
    if (found !== undefined) return found
    const block = streamBlockOf(await askOnce(ask, 'eth_getBlockByHash', [hash, false], context))
    if (block?.hash !== hash) return undefined
    keep(block, context)
    return block
  }

  function keep(block: StreamBlock, context: RpcContext): void {
    known.set(`${shareOf(context)} ${block.hash}`, block)
    for (const oldest of known.keys()) {
      if (known.size <= mostKnown) break
      known.delete(oldest)
    }
  }

  /** Asks for blocks by their numbers, lowest first, until one cannot be had in time; gives those before it. */
  async function byNumbers(from: number, to: number, context: RpcContext): Promise<readonly StreamBlock[]> {
    const found: (StreamBlock | undefined)[] = []
    let next = from
    let failure: unknown
    const read = async (): Promise<void> => {
      while (next <= to && failure === undefined) {
        const number = next++
        try {
          const block = streamBlockOf(await askOnce(ask, 'eth_getBlockByNumber', [hex(number), false], context))
          if (block?.number !== number)
            throw new RpcError('unavailable', `expected block ${number}, got another or none`)
          keep(block, context)
          found[number - from] = block
        } catch (thrown) {
          failure ??= thrown
        }
      }
    }
    await Promise.all(Array.from({ length: mostAtOnce }, read))
    const gap = Array.from(found).indexOf(undefined)
    const blocks = (gap < 0 ? found : found.slice(0, gap)) as StreamBlock[]
    if (blocks.length === 0 && failure !== undefined) throw failure
    return blocks
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
    async after(from, to, context) {
      const top = [to]
      for (let lowest = to; lowest.number > from.number + 1; top.push(lowest)) {
        const parent = known.get(`${shareOf(context)} ${lowest.parentHash}`)
        if (parent?.number !== lowest.number - 1) break
        lowest = parent
      }
      const deadline = clock.now() + (context.deadline - clock.now()) / 2
      const { context: own, release } = context.fork({ deadline })
      const below = await byNumbers(from.number + 1, top.at(-1)!.number - 1, own).finally(release)
      const blocks: StreamBlock[] = []
      let last = from.hash
      for (const block of [...below, ...top.toReversed()]) {
        if (block.parentHash !== last) break
        blocks.push(block)
        last = block.hash
      }
      if (blocks.length === 0)
        throw new RpcError('unavailable', `no node has the block after ${from.number} (${from.hash})`)
      return blocks
    },
  }
}
