import {
  type Clock,
  type RawJson,
  rawJsonFromChunks,
  type RawJsonStream,
  type RpcContext,
  RpcError,
  type RpcErrorObject,
  type RpcHandler,
  type RpcMiddleware,
  type RpcResponse,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import { askOnce } from './ask-once.ts'
import { streamBlockOf } from './block.ts'
import type { BlockPosition } from './chain-source.ts'
import {
  type LogRangeLimits,
  createLogSegments,
  type LogSegment,
  type LogSegments,
  ReplacedError,
} from './log-segments.ts'
import { createLogArray, type LogArray } from './log-array.ts'

/** Options of {@link getLogs}. */
export interface GetLogsOptions {
  readonly clock: Clock
  /** Gives the head that `latest` means; undefined while none is known: then a node is asked. */
  readonly headOf: () => BlockPosition | undefined
  /** Limits of the nodes. Default: none are known, and none are kept from call to call. */
  readonly limits?: LogRangeLimits | undefined
  /** Rejects where the logs of a segment are not complete or not true: they are asked for again. */
  readonly check?: ((segment: LogSegment, logs: RawJson, context: RpcContext) => Promise<void>) | undefined
  /** The most segments that are asked for or held at a time. Default 4. */
  readonly concurrency?: number
  /** The most blocks of a call; more are -32602. Default 100,000. */
  readonly maxBlocks?: number
  /** The longest answer for a segment, in bytes; a longer one is asked for in parts, but for a single block, 32 MiB. Default 8 MiB. */
  readonly maxSegmentBytes?: number
  /** The longest answer for a caller who takes no stream, in bytes; more are `too_large`. Default 25,000,000. */
  readonly maxBytes?: number
  /** The first bytes that are held, so that a failure is a JSON-RPC error. Default 1 MiB. */
  readonly heldBytes?: number
  /** Blocks so far below the head are taken as never replaced. Default 128. */
  readonly maxReorg?: number
}

/** The parts of a filter that are read here. */
interface Filter {
  readonly blockHash?: unknown
  readonly fromBlock?: unknown
  readonly toBlock?: unknown
}

/** How often a call begins anew because a reorg replaced blocks of which nothing has left yet. */
const mostStarts = 4

/**
 * Serves `eth_getLogs` of any range of blocks: asks below for segments that nodes allow, and gives one array in order, a stream
 * where the caller takes one. Logs pass byte for byte. Each segment is held against the chain before it is given, so that all are of one
 * chain; where they cannot be, the answer is an error or a broken stream, never an array with logs left out.
 * Every other call passes, and a filter by block hash. The deadline of the context is that of the whole answer.
 */
export function getLogs(options: GetLogsOptions): RpcMiddleware<RpcContext> {
  const {
    clock,
    headOf,
    limits,
    check,
    concurrency = 4,
    maxBlocks = 100_000,
    maxSegmentBytes = 8 * 1_048_576,
  } = options
  const { maxBytes = 25_000_000, heldBytes = 1_048_576, maxReorg = 128 } = options

  return (next) => {
    async function serve(filter: Filter, context: RpcContext): Promise<RpcResponse> {
      const range = await rangeOf(next, filter, headOf, context).catch(errorAnswer)
      if ('code' in range) return { error: range }
      const { fromBlock, toBlock, head } = range
      const blocks = toBlock - fromBlock + 1
      if (blocks > maxBlocks) return { error: invalidParams(`range ${blocks} exceeds limit of ${maxBlocks}`) }
      if (blocks <= 0) return { result: emptyArray() }
      const start = (): LogSegments =>
        createLogSegments({
          ask: next,
          clock,
          context,
          filter,
          fromBlock,
          toBlock,
          finalTo: head - maxReorg,
          concurrency,
          maxSegmentBytes,
          limits,
          check,
        })
      for (let starts = 1; ; starts++) {
        const segments = start()
        try {
          return { result: await answerOf(segments, context.acceptStream) }
        } catch (thrown) {
          const why = toRpcError(thrown, 'unavailable', 'the logs could not be read')
          segments.cancel(why)
          if (why instanceof ReplacedError && starts < mostStarts) continue
          return { error: errorAnswer(why) }
        }
      }
    }

    async function answerOf(segments: LogSegments, acceptStream: boolean): Promise<RawJson | RawJsonStream> {
      const array = createLogArray()
      const held: Uint8Array[] = []
      let bytes = 0
      for (;;) {
        const logs = await segments.next()
        for (const chunk of logs === undefined ? array.end() : array.add(logs)) {
          held.push(chunk)
          bytes += chunk.byteLength
        }
        if (logs === undefined) return rawJsonFromChunks(held)
        if (acceptStream && bytes >= heldBytes) return streamOf(held, array, segments)
        if (!acceptStream && bytes > maxBytes) {
          throw new RpcError('too_large', `the logs are longer than ${maxBytes} bytes: ask for fewer blocks at a time`)
        }
      }
    }

    return (request, context) => {
      const filter = request.method === 'eth_getLogs' ? filterIn(request.params) : undefined
      return filter === undefined ? next(request, context) : serve(filter, context)
    }
  }
}

/** A stream of what is held, then of the segments that follow. */
function streamOf(held: Uint8Array[], array: LogArray, segments: LogSegments): RawJsonStream {
  let isOver = false
  let isUsed = false
  let ended: RpcError | undefined
  const end = (why: RpcError): void => {
    if (isOver) return
    isOver = true
    held.length = 0
    segments.cancel(why)
  }
  const cancelled = new RpcError('aborted', 'the stream was cancelled')
  const over: IteratorReturnResult<undefined> = { done: true, value: undefined }

  async function next(): Promise<IteratorResult<Uint8Array>> {
    for (;;) {
      if (ended !== undefined) throw ended
      const chunk = held.shift()
      if (chunk !== undefined) return { done: false, value: chunk }
      if (isOver) return over
      try {
        const logs = await segments.next()
        if (isOver) continue
        held.push(...(logs === undefined ? array.end() : array.add(logs)))
        if (logs === undefined) isOver = true
      } catch (thrown) {
        if (isOver) continue
        const cause = toRpcError(thrown, 'unavailable', 'the logs could not be read')
        ended = new RpcError('disconnected', `the logs broke off: ${cause.message}`, { cause })
        end(ended)
      }
    }
  }

  return {
    streaming: true,
    cancel() {
      if (!isOver) ended = cancelled
      end(cancelled)
    },
    [Symbol.asyncIterator]() {
      if (isUsed) throw new TypeError('a stream is read once')
      isUsed = true
      return {
        next,
        async return() {
          end(cancelled)
          return over
        },
      }
    },
  }
}

/** The one filter in the params; undefined where the peer has to tell what is wrong, and for one by block hash. */
function filterIn(params: RawJson | undefined): Filter | undefined {
  const value = params?.value()
  if (!Array.isArray(value) || value.length !== 1) return undefined
  const [filter] = value as unknown[]
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) return undefined
  const { blockHash } = filter as Filter
  return blockHash === undefined || blockHash === null ? filter : undefined
}

interface Range {
  readonly fromBlock: number
  /** Below `fromBlock` where the range is empty. */
  readonly toBlock: number
  readonly head: number
}

/** Reads the range, each tag once. Errors are in geth's words. */
async function rangeOf(
  ask: RpcHandler,
  filter: Filter,
  headOf: () => BlockPosition | undefined,
  context: RpcContext,
): Promise<Range | RpcErrorObject> {
  const heights = new Map<unknown, Promise<number | undefined> | number>([['earliest', 0]])
  const heightOf = (place: unknown): Promise<number | undefined> | number => {
    const height = heights.get(place) ?? heightOfNumber(place) ?? heightAt(ask, place as string, context)
    heights.set(place, height)
    return height
  }
  const { fromBlock, toBlock } = { fromBlock: filter.fromBlock ?? 'latest', toBlock: filter.toBlock ?? 'latest' }
  for (const place of [fromBlock, toBlock]) {
    if (place === 'pending') return invalidParams('pending logs are not supported')
    if (heightOfNumber(place) === undefined && !tags.has(place)) {
      return invalidParams('invalid argument 0: expected a hex block number without leading zeros (0x1b4) or a tag')
    }
  }
  const known = headOf()
  if (known !== undefined) heights.set('latest', known.number)
  const [from, to, head] = await Promise.all([heightOf(fromBlock), heightOf(toBlock), heightOf('latest')])
  if (from === undefined || to === undefined || head === undefined) {
    throw new RpcError('unavailable', 'expected the block of a tag, got none')
  }
  if (from > to) {
    return tags.has(fromBlock) || tags.has(toBlock)
      ? { fromBlock: from, toBlock: to, head }
      : invalidParams('invalid block range params')
  }
  // A node that is ahead of the known head may have it.
  if (to > head && (await heightAt(ask, `0x${to.toString(16)}`, context)) !== to) {
    return invalidParams('block range extends beyond current head block')
  }
  return { fromBlock: from, toBlock: to, head }
}

const tags = new Set<unknown>(['latest', 'earliest', 'safe', 'finalized'])

function heightOfNumber(place: unknown): number | undefined {
  return typeof place === 'string' && /^0x(?:0|[1-9a-f][\da-f]{0,12})$/i.test(place) ? Number(place) : undefined
}

async function heightAt(ask: RpcHandler, place: string, context: RpcContext): Promise<number | undefined> {
  return streamBlockOf(await askOnce(ask, 'eth_getBlockByNumber', [place, false], context))?.number
}

/** Gives a node's own error, which is an answer; throws any other. */
function errorAnswer(thrown: unknown): RpcErrorObject {
  if (thrown instanceof RpcError && thrown.code === 'rpc' && thrown.rpc !== undefined) return thrown.rpc
  throw thrown
}

function emptyArray(): RawJson {
  return rawJsonFromChunks(createLogArray().end())
}

function invalidParams(message: string): RpcErrorObject {
  return { code: -32602, message }
}
