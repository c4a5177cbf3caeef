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
import { isNullRound, lastBlockTo } from './last-block-to.ts'
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
  /** The last block below a height, by what stands up to the head; that before the first one has the height -1. */
  before(number: number, head: number, context: RpcContext): Promise<BlockPosition>
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
    report: (blocks: readonly StreamBlock[]) => Promise<void>,
  ): Promise<void>
  /** Tells the logs of the blocks after `after` up to `floor`, block by block. */
  oldLogs(
    criteria: LogCriteria,
    floor: BlockPosition,
    after: BlockPosition,
    context: RpcContext,
    report: (logs: readonly RawJson[], reached: BlockPosition) => Promise<void>,
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
      await again(attempt, why, context)
    }
  }

  /** Waits before the next attempt. @throws RpcError after the last one */
  async function again(attempt: number, why: RpcError, context: RpcContext): Promise<void> {
    if (context.cancelled !== undefined) throw context.cancelled
    if (attempt >= mostAttempts) throw new RpcError('unavailable', 'the past cannot be read', { cause: why })
    await pause(backOffMs(attempt + 1), clock, context)
    if (context.cancelled !== undefined) throw context.cancelled
  }

  /** Gives undefined where no block is at the height, or none yet: what stands above it says which. */
  const byNumber = (number: number, context: RpcContext): Promise<StreamBlock | undefined> =>
    persist(
      'eth_getBlockByNumber',
      [hex(number), false],
      context,
      (raw) => {
        const block = streamBlockOf(raw)
        return block?.number === number || raw.text() === 'null' ? { block } : undefined
      },
      isNullRound,
    ).then((read) => read?.block)

  const parentOf = (
    { number, parentHash }: Pick<StreamBlock, 'number' | 'parentHash'>,
    context: RpcContext,
  ): Promise<StreamBlock> =>
    persist('eth_getBlockByHash', [parentHash, false], context, (raw) => {
      const block = streamBlockOf(raw)
      return block?.hash === parentHash && block.number < number ? block : undefined
    })

  async function byHash(hash: string, context: RpcContext): Promise<StreamBlock | undefined> {
    const block = streamBlockOf(await askOnce(ask, 'eth_getBlockByHash', [hash, false], context))
    return block?.hash === hash ? block : undefined
  }

  /** Asks for the last block up to a height a few times. */
  async function lastUpTo(number: number, head: number, context: RpcContext): Promise<StreamBlock> {
    for (let attempt = 1; ; attempt++) {
      let why: RpcError
      try {
        const block = await lastBlockTo(ask, number, () => head, context)
        if (block !== undefined) return block
        why = new RpcError('invalid_response', `expected block ${number}, got another or none`)
      } catch (thrown) {
        why = toRpcError(thrown, 'unavailable', 'eth_getBlockByNumber: the handler failed')
      }
      await again(attempt, why, context)
    }
  }

  /** Puts what lies between before blocks, so that each is the child of the one before it. @throws RpcError where they do not follow `after` */
  async function linked(
    blocks: readonly StreamBlock[],
    after: BlockPosition,
    context: RpcContext,
  ): Promise<readonly StreamBlock[]> {
    const whole: StreamBlock[] = []
    for (const block of blocks) {
      const last: BlockPosition = whole.at(-1) ?? after
      const way = [block]
      for (let lowest = block; lowest.number > 0 && lowest.parentHash !== last.hash; way.unshift(lowest)) {
        if (lowest.number - 1 <= last.number) throw changed()
        lowest = await parentOf(lowest, context)
        if (lowest.number <= last.number) throw changed()
      }
      whole.push(...way)
    }
    return whole
  }

  return {
    byHash,
    async before(number, head, context) {
      return number === 0 ? { number: -1, hash: '' } : await lastUpTo(number - 1, head, context)
    },
    async recentTo(end, after, known, context) {
      const lowest = Math.max(after.number, end.number - maxReorg)
      const byTheirHash = new Map(known.map((block) => [block.hash, block]))
      const recent: StreamBlock[] = []
      let block = end
      while (block.number > lowest) {
        recent.unshift(block)
        if (block.parentHash === after.hash) return { recent, floor: after }
        if (block.number === 0) return { recent, floor: { number: -1, hash: '' } }
        block = byTheirHash.get(block.parentHash) ?? (await parentOf(block, context))
      }
      if (block.number <= after.number && block.hash !== after.hash) throw changed()
      return { recent, floor: block }
    },
    async oldTo(floor, after, context, report) {
      let last = after
      for (let from = after.number + 1; from <= floor.number;) {
        const count = Math.min(mostAtOnce, floor.number - from + 1)
        const numbers = Array.from({ length: count }, (_, i) => from + i)
        const read = await Promise.all(numbers.map((number) => byNumber(number, context)))
        from += count
        const blocks = read.filter((block) => block !== undefined)
        const isEnd = from > floor.number
        if (isEnd && blocks.at(-1)?.hash !== floor.hash) {
          if (blocks.at(-1)?.number === floor.number) throw changed()
          blocks.push(await parentOf({ number: floor.number + 1, parentHash: floor.hash }, context))
        }
        const reported = await linked(blocks, last, context)
        last = reported.at(-1) ?? last
        if (reported.length > 0) await report(reported)
      }
    },
    async oldLogs({ addresses, topics }, floor, after, context, report) {
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
        const end = to === floor.number ? floor : await lastUpTo(to, floor.number, context)
        const last = found.parts.at(-1)?.at
        if (last !== undefined && last.number >= end.number && last.hash !== end.hash) throw changed()
        for (const { logs, at } of found.parts) await report(logs, at)
        if (last?.number !== end.number) await report([], end)
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
  const reported = raw.value()
  if (!Array.isArray(reported)) return undefined
  const text = raw.text()
  const parts: LogsOfBlock[] = []
  let isWhole = true
  let i = 0
  cutParts(text, text.indexOf('['), (start, end) => {
    const { blockNumber, blockHash } = Object(reported[i++]) as {
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
