import { type Clock, type RpcContext, RpcError, type RpcHandler, toRpcError } from '@wayleave/jsonrpc-core'
import { askOnce } from './ask-once.ts'
import { type StreamBlock, streamBlockOf } from './block.ts'
import type { BlockPosition } from './chain-source.ts'
import { isNullRound, mostEmpty } from './last-block-to.ts'
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
  /** The same, as nodes are now. */
  askFor(hash: string, context: RpcContext): Promise<StreamBlock | undefined>
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
    return known.get(`${shareOf(context)} ${hash}`) ?? askFor(hash, context)
  }

  async function askFor(hash: string, context: RpcContext): Promise<StreamBlock | undefined> {
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

  /**
   * Asks for blocks by their numbers, lowest first, until one cannot be had in time; gives those before it. Heights at which none was made are
   * left out: the block above says whether that is so.
   */
  async function byNumbers(from: number, to: number, context: RpcContext): Promise<readonly StreamBlock[]> {
    const found: (StreamBlock | undefined)[] = []
    let next = from
    let empty = 0
    let failure: unknown
    const read = async (): Promise<void> => {
      while (next <= to && failure === undefined) {
        const number = next++
        try {
          const block = streamBlockOf(await askOnce(ask, 'eth_getBlockByNumber', [hex(number), false], context))
          if (block?.number === number) {
            keep(block, context)
            found[number - from] = block
            empty = 0
          } else if (++empty > mostEmpty) {
            throw new RpcError('unavailable', `expected block ${number}, got another or none`)
          }
        } catch (thrown) {
          if (!isNullRound(toRpcError(thrown, 'unavailable', 'eth_getBlockByNumber: the handler failed')))
            failure ??= thrown
        }
      }
    }
    await Promise.all(Array.from({ length: mostAtOnce }, read))
    const blocks = found.filter((block) => block !== undefined)
    if (blocks.length === 0 && failure !== undefined) throw failure
    return blocks
  }

  return {
    blockOf,
    askFor,
    async between(from, to, most, context) {
      if (to.number - from.number > most) return undefined
      const removed: StreamBlock[] = []
      const added: StreamBlock[] = []
      /** The greatest heights that they can have. */
      let [old, now] = [from, to]
      while (old.hash !== now.hash) {
        const isAbove = now.number > old.number
        const { number, hash } = isAbove ? now : old
        const block = await blockOf(hash, context)
        if (block === undefined || block.number > number || block.number === 0) return undefined
        if (removed.length > maxReorg) return undefined
        const isExact = block.number === number
        if (isExact && isAbove) added.unshift(block)
        if (isExact && !isAbove) removed.push(block)
        const below = isExact ? { number: number - 1, hash: block.parentHash } : block
        if (isAbove) now = below
        else old = below
      }
      const ancestor = now.number < old.number ? now : old
      return removed.length > maxReorg ? undefined : { ancestor, removed, added }
    },
    async after(from, to, context) {
      const top = [to]
      for (let lowest = to; lowest.number > from.number + 1; top.push(lowest)) {
        const parent = known.get(`${shareOf(context)} ${lowest.parentHash}`)
        if (parent === undefined || parent.number <= from.number || parent.number >= lowest.number) break
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
