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
import { askOnce, backOffMs, pause } from './ask-once.ts'
import { type StreamBlock, streamBlockOf } from './block.ts'
import { hex } from './quantity.ts'
import type { BlockPosition } from './chain-source.ts'
import { fewerBlocks } from './log-failures.ts'
import type { LogCriteria } from './log-filter.ts'

export interface MissedBlocksOptions {
  /** Asked for blocks, and for logs of any range; it keeps a deadline for each question. */
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
    tell: (blocks: readonly StreamBlock[]) => Promise<void>,
  ): Promise<void>
  /** Tells the logs of the blocks after `after` up to `floor`, block by block. */
  oldLogs(
    criteria: LogCriteria,
    floor: BlockPosition,
    after: BlockPosition,
    context: RpcContext,
    tell: (logs: readonly RawJson[], reached: BlockPosition) => Promise<void>,
  ): Promise<void>
}

/** Questions that are asked side by side. */
export const mostAtOnce = 4
const mostAttempts = 4
/** The blocks of the first question for old logs, and of any. */
const firstBlocks = 16
const mostBlocks = 1_000
/** Bytes of logs that one question should give. */
const aimBytes = 1_048_576

export function createMissedBlocks({ ask, clock, maxReorg }: MissedBlocksOptions): MissedBlocks {
  /** Asks until `read` gives a value, a few times. */
  async function persist<T>(
    method: string,
    params: readonly unknown[],
    context: RpcContext,
    read: (raw: RawJson) => T | undefined,
  ): Promise<T>
  /** Gives undefined where `isRefused` tells that asking again would not help. */
  async function persist<T>(
    method: string,
    params: readonly unknown[],
    context: RpcContext,
    read: (raw: RawJson) => T | undefined,
    isRefused: (why: RpcError) => boolean,
  ): Promise<T | undefined>
  async function persist<T>(
    method: string,
    params: readonly unknown[],
    context: RpcContext,
    read: (raw: RawJson) => T | undefined,
    isRefused: (why: RpcError) => boolean = () => false,
  ): Promise<T | undefined> {
    for (let attempt = 1; ; attempt++) {
      let why: RpcError
      try {
        const value = read(await askOnce(ask, method, params, context))
        if (value !== undefined) return value
        why = new RpcError('unavailable', `${method}: expected ${JSON.stringify(params[0])}, got another or none`)
      } catch (thrown) {
        why = toRpcError(thrown, 'unavailable', `${method}: the handler failed`)
      }
      if (context.cancelled !== undefined) throw context.cancelled
      if (isRefused(why)) return undefined
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
        await tell(blocks)
      }
    },
    async oldLogs({ addresses, topics }, floor, after, context, tell) {
      const filter = {
        ...(addresses.size > 0 && { address: [...addresses] }),
        topics: topics.map((wanted) => (wanted.size === 0 ? null : [...wanted])),
      }
      let blocks = firstBlocks
      for (let from = after.number + 1; from <= floor.number;) {
        const to = Math.min(floor.number, from + blocks - 1)
        const count = to - from + 1
        const query = { ...filter, fromBlock: hex(from), toBlock: hex(to) }
        const fewer = (why: RpcError): boolean => {
          const left = fewerBlocks(why, count)?.blocks
          blocks = left ?? blocks
          return left !== undefined
        }
        const found = await persist('eth_getLogs', [query], context, (raw) => logsIn(raw, from, to), fewer)
        if (found === undefined) continue
        const end = to === floor.number ? floor : await byNumber(to, context)
        const last = found.parts.at(-1)
        if (last !== undefined && last.at.number === to && last.at.hash !== end.hash) throw changed()
        for (const { logs, at } of found.parts) await tell(logs, at)
        if (last?.at.number !== to) await tell([], end)
        from = to + 1
        blocks = Math.min(mostBlocks, 8 * count, Math.max(1, Math.floor((count * aimBytes) / found.bytes)))
      }
    },
  }
}

/** The logs of one block. */
interface LogsOfBlock {
  readonly logs: RawJson[]
  readonly at: BlockPosition
}

/** Cuts an answer by blocks; undefined where it is none about these heights. */
function logsIn(
  raw: RawJson,
  from: number,
  to: number,
): { readonly parts: readonly LogsOfBlock[]; readonly bytes: number } | undefined {
  // Only JSON is cut right.
  const told = raw.value()
  if (!Array.isArray(told)) return undefined
  const text = raw.text()
  const parts: LogsOfBlock[] = []
  let isWhole = true
  let i = 0
  cutParts(text, text.indexOf('['), (start, end) => {
    const { blockNumber, blockHash } = Object(told[i++]) as {
      readonly blockNumber?: unknown
      readonly blockHash?: unknown
    }
    const log = rawJsonFromText(text.slice(start, end))
    const number = Number(blockNumber)
    const hash = typeof blockHash === 'string' ? blockHash.toLowerCase() : ''
    const last = parts.at(-1)
    if (last !== undefined && last.at.hash === hash) return void last.logs.push(log)
    if (hash === '' || !(number >= from && number <= to && number > (last?.at.number ?? -1))) {
      isWhole = false
    } else parts.push({ logs: [log], at: { number, hash } })
  })
  return isWhole ? { parts, bytes: raw.byteLength } : undefined
}

function changed(): RpcError {
  return new RpcError('unavailable', 'the chain changed meanwhile')
}
