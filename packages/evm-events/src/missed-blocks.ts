import {
  type Clock,
  cutParts,
  type RawJson,
  rawJsonFromText,
  type RpcContext,
  RpcError,
  type RpcHandler,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import { askOnce, attemptMs, backOffMs, pause } from './ask-once.ts'
import { type StreamBlock, streamBlockOf } from './block.ts'
import type { BlockPosition } from './chain-source.ts'
import type { LogCriteria } from './log-filter.ts'

export interface MissedBlocksOptions {
  /** Asked for blocks, and for logs of any range. */
  readonly ask: RpcHandler
  readonly clock: Clock
  readonly maxReorg: number
}

/** Reads what a subscription missed: blocks that can still be replaced by their hashes, older ones by their heights. */
export interface MissedBlocks {
  /** Undefined where no node has it. */
  byHash(hash: string, context: RpcContext): Promise<StreamBlock | undefined>
  /** The block before a height; that before the first one has the height -1. */
  before(number: number, context: RpcContext): Promise<BlockPosition>
  /**
   * The blocks from the one after `floor` to `end`, oldest first, each the parent of the next. `floor`: `after`, or the last block
   * that cannot be replaced. @throws RpcError `unavailable` where they do not follow `after`
   */
  recentTo(
    end: StreamBlock,
    after: BlockPosition,
    known: readonly StreamBlock[],
    context: RpcContext,
  ): Promise<{ readonly recent: readonly StreamBlock[]; readonly floor: BlockPosition }>
  /** Tells the blocks after `after` up to `floor`. */
  oldTo(
    floor: BlockPosition,
    after: BlockPosition,
    context: RpcContext,
    tell: (blocks: readonly StreamBlock[]) => void,
  ): Promise<void>
  /** Tells the logs of the blocks after `after` up to `floor`, part by part, each with its last block. */
  oldLogs(
    criteria: LogCriteria,
    floor: BlockPosition,
    after: BlockPosition,
    context: RpcContext,
    tell: (logs: readonly RawJson[], reached: BlockPosition) => void,
  ): Promise<void>
}

/** Questions that are asked side by side. */
export const mostAtOnce = 4
const mostAttempts = 4
/** The blocks of one question for old logs. */
const logBlocks = 1_000

export function createMissedBlocks({ ask, clock, maxReorg }: MissedBlocksOptions): MissedBlocks {
  /** Asks until `read` gives a value, a few times. */
  async function persist<T>(
    method: string,
    params: readonly unknown[],
    context: RpcContext,
    read: (raw: RawJson) => T | undefined,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const own = context.fork({ deadline: clock.now() + attemptMs, acceptStream: false })
      let why: RpcError
      try {
        const value = read(await askOnce(ask, method, params, own.context))
        if (value !== undefined) return value
        why = new RpcError('unavailable', `${method}: expected ${JSON.stringify(params[0])}, got another or none`)
      } catch (thrown) {
        why = toRpcError(thrown, 'unavailable', `${method}: the handler failed`)
      } finally {
        own.release()
      }
      if (context.cancelled !== undefined) throw context.cancelled
      if (attempt >= mostAttempts) throw new RpcError('unavailable', 'the past cannot be read', { cause: why })
      await pause(backOffMs(attempt + 1), clock, context)
      if (context.cancelled !== undefined) throw context.cancelled
    }
  }

  const byNumber = (number: number, context: RpcContext): Promise<StreamBlock> =>
    persist('eth_getBlockByNumber', [hex(number), false], context, (raw) => {
      const block = streamBlockOf(raw)
      return block?.number === number ? block : undefined
    })

  async function byHash(hash: string, context: RpcContext): Promise<StreamBlock | undefined> {
    const block = streamBlockOf(await askOnce(ask, 'eth_getBlockByHash', [hash, false], context))
    return block?.hash === hash ? block : undefined
  }

  return {
    byHash,
    async before(number, context) {
      return number === 0 ? { number: -1, hash: '' } : await byNumber(number - 1, context)
    },
    async recentTo(end, after, known, context) {
      const lowest = Math.max(after.number, end.number - maxReorg)
      const byTheirHash = new Map(known.map((block) => [block.hash, block]))
      const recent: StreamBlock[] = []
      let floor: BlockPosition = end
      while (floor.number > lowest) {
        const { hash } = floor
        const block: StreamBlock =
          byTheirHash.get(hash) ??
          (await persist('eth_getBlockByHash', [hash, false], context, (raw) => {
            const read = streamBlockOf(raw)
            return read?.hash === hash ? read : undefined
          }))
        recent.unshift(block)
        floor = { number: block.number - 1, hash: block.parentHash }
      }
      if (floor.number === after.number && after.number >= 0 && floor.hash !== after.hash) throw changed()
      return { recent, floor }
    },
    async oldTo(floor, after, context, tell) {
      let last = after
      while (last.number < floor.number) {
        const count = Math.min(mostAtOnce, floor.number - last.number)
        const numbers = Array.from({ length: count }, (_, i) => last.number + 1 + i)
        const blocks = await Promise.all(numbers.map((number) => byNumber(number, context)))
        const isLinked = blocks.every(
          ({ number, parentHash }, i) => number === 0 || parentHash === (blocks[i - 1] ?? last).hash,
        )
        last = blocks.at(-1)!
        if (!isLinked || (last.number === floor.number && last.hash !== floor.hash)) throw changed()
        tell(blocks)
      }
    },
    async oldLogs({ addresses, topics }, floor, after, context, tell) {
      const filter = {
        ...(addresses.size > 0 && { address: [...addresses] }),
        topics: topics.map((wanted) => (wanted.size === 0 ? null : [...wanted])),
      }
      for (let from = after.number + 1; from <= floor.number; from += logBlocks) {
        const to = Math.min(floor.number, from + logBlocks - 1)
        const query = { ...filter, fromBlock: hex(from), toBlock: hex(to) }
        const logs = await persist('eth_getLogs', [query], context, logsIn)
        tell(logs, to === floor.number ? floor : await byNumber(to, context))
      }
    },
  }
}

function logsIn(raw: RawJson): readonly RawJson[] | undefined {
  // Only JSON is cut right.
  if (!Array.isArray(raw.value())) return undefined
  const text = raw.text()
  const logs: RawJson[] = []
  cutParts(text, text.indexOf('['), (start, end) => logs.push(rawJsonFromText(text.slice(start, end))))
  return logs
}

function changed(): RpcError {
  return new RpcError('unavailable', 'the chain changed meanwhile')
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
}
