import {
  type ByteAccount,
  type Clock,
  defineExtension,
  type Extension,
  isStream,
  type RawJson,
  rawJsonFromChunks,
  type RawJsonStream,
  type RpcContext,
  RpcError,
  type RpcErrorObject,
  type RpcMiddleware,
  type RpcRequest,
  type RpcResponse,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import { backOffMs, pause } from './ask-once.ts'
import { askWhole } from './ask-whole.ts'
import { failureOf, fewerBlocks, isDoubtful, muchFewer } from './log-failures.ts'
import { createLogSegments, type LogSegment, type LogSegments, ReplacedError } from './log-segments.ts'
import type { LogRangeLimits } from './segment-size.ts'
import { createLogArray } from './log-array.ts'
import { streamOf } from './log-stream.ts'
import type { OfNode, RangeEnds, SameNode } from './one-node.ts'
import type { QuestionShare } from './question-share.ts'
import type { Trust } from './trust.ts'
import {
  blocksAtMost,
  type Filter,
  filterIn,
  type HeadOf,
  isSplittableTrace,
  lastBlockOf,
  rangeOf,
} from './log-range.ts'
import { invalidParams } from './invalid-params.ts'
import { type HeadAfter, hasLastBlock } from './last-block.ts'

/** Options of {@link getLogs}. */
export interface GetLogsOptions {
  /** Gives the head that `latest` means; undefined while none is known: then a node is asked. */
  readonly headOf: HeadOf
  readonly clock: Clock
  /** Marks a question so that it goes to the node that gave an answer. Default: a node may lack blocks of a segment that another one has. */
  readonly sameNode?: SameNode | undefined
  /** Marks the questions whether a node has the blocks of its logs: a cache below must not answer in its place. Default: there is none. */
  readonly ofNode?: OfNode | undefined
  /** Marks a question for a part of a call's logs as the context of the call says: the question has another one. Default: none is marked. */
  readonly partOf?: ((context: RpcContext, question: RpcRequest) => RpcRequest) | undefined
  /** Asks a node whether it has the last block of a short range. Default: it is taken to have what it is asked for. */
  readonly headAfter?: HeadAfter | undefined
  /** Limits of the nodes. Default: none are known, and none are kept from call to call. */
  readonly limits?: LogRangeLimits | undefined
  /**
   * Marks an answer of several segments by the one that is trusted least. One that has begun to stream breaks off before a segment that is trusted
   * less. Default: such answers have no mark.
   */
  readonly trust?: Trust | undefined
  /** Rejects where the logs of a segment are not complete or not true: they are asked for again. */
  readonly check?: ((segment: LogSegment, logs: RawJson, context: RpcContext) => Promise<void>) | undefined
  /** The most blocks of a call that passes as it came. Default 1,024. */
  readonly plainBlocks?: number
  /** The most blocks of the first segment of a longer call: it shows how many logs there are. Default 256. */
  readonly firstBlocks?: number
  /** The most blocks of a segment. Default: as many as fit. */
  readonly maxSegmentBlocks?: number
  /**
   * Has segments of old blocks end at round heights, so that calls whose ranges overlap ask for the same ones, as a cache below wants them.
   * Default: they are as long as fits.
   */
  readonly isAligned?: boolean
  /** The most segments that are asked for or held at a time. Default 4. */
  readonly concurrency?: number
  /** Bounds the questions that calls have in flight beside their first. Default: `concurrency` alone does. */
  readonly share?: QuestionShare | undefined
  /**
   * Asked before a range that failed without a word of it (silence, a broken connection, a proxy's status, an internal error) is tried in parts, as
   * nodes may be asked too much already. Default: it always is.
   */
  readonly mayTryParts?: (() => boolean) | undefined
  /** The account that pays for the answers that a call holds; one that it may not hold is `overloaded`. Default: they are free. */
  readonly accountOf?: ((context: RpcContext) => ByteAccount) | undefined
  /** The most blocks of a call; more are -32602. Read at each call, so that a getter may change it. Default 100,000. */
  readonly maxBlocks?: number
  /** The length that segments are made to have, in bytes. Default 512 KiB. */
  readonly aimBytes?: number
  /** The longest answer for a segment, in bytes; a longer one is asked for in parts, but for a single block, 32 MiB. Default 2 MiB. */
  readonly maxSegmentBytes?: number
  /** The longest answer for a caller who takes no stream, in bytes; more are `too_large`. Read at each call. Default 25,000,000. */
  readonly maxBytes?: number
  /** The first bytes that are held, so that a failure is a JSON-RPC error. Default 1 MiB. */
  readonly heldBytes?: number
  /** Blocks so far below the head are taken as never replaced. Default 128. */
  readonly maxReorg?: number
}

/** Marks a question for a range, however short, that has to be of the chain of its ends, as far as these are known. */
export const wholeRange: Extension<Partial<RangeEnds>> = defineExtension<Partial<RangeEnds>>('wholeRange')

/** The longest filter whose range is asked for in segments, each of which repeats it, in characters of JSON: over 1,000 addresses. */
const longestSplit = 65_536

/** The methods whose ranges are split as those of `eth_getLogs` are: their results stand in the order of their blocks. */
const traceMethods = new Set(['trace_filter', 'arbtrace_filter'])

/** How often a short range is asked for where nodes lack its last block. */
const mostAttempts = 5
/** How often a call begins anew because a reorg replaced blocks of which nothing has left yet. */
const mostStarts = 4

/**
 * Serves `eth_getLogs` of any range of blocks. A short range passes as it came, unless nodes refuse it. For a longer one it asks below
 * for segments that nodes allow, and gives one array in order, a stream where the caller takes one. Logs pass byte for byte. Each
 * segment is held against the chain before it is given, so that all are of one chain; where they cannot be, the answer is an error or a
 * broken stream, never an array with logs left out. Every other call passes, and a filter by block hash. The deadline of the context
 * holds until the answer begins; then each segment has its own, and the host ends the stream by cancelling the context.
 */
export function getLogs(options: GetLogsOptions): RpcMiddleware<RpcContext> {
  const { clock, headOf, sameNode, ofNode, partOf, headAfter, limits, trust, check, share, accountOf } = options
  const { plainBlocks = 1_024, firstBlocks = 256, concurrency = 4, aimBytes = 524_288 } = options
  const { maxSegmentBytes = 2 * 1_048_576, heldBytes = 1_048_576, maxReorg = 128, isAligned = false } = options
  const { mayTryParts = () => true } = options
  const mostBlocks = (): number => options.maxBlocks ?? 100_000

  return (next) => {
    /** Tells whether a call is passed on as it came: its range is short, or unknown here. */
    function isPlain(request: RpcRequest, filter: Filter, context: RpcContext, head = headOf()?.number): boolean {
      if (wholeRange.of(request) !== undefined) return false
      const blocks = blocksAtMost(filter, head)
      return (
        blocks <= Math.min(plainBlocks, mostBlocks()) && blocks <= (limits?.mostBlocks(request, context) ?? plainBlocks)
      )
    }

    async function passOn(request: RpcRequest, filter: Filter, context: RpcContext): Promise<RpcResponse> {
      for (let attempt = 1; ; attempt++) {
        const head = headOf()?.number
        const last = headAfter && lastBlockOf(filter, head)
        const blocks = Math.min(blocksAtMost(filter, head), mostBlocks())
        const whole =
          blocks === 1
            ? { answer: await next(request, context) }
            : await askWhole({ ask: next, clock, blocks, mayTryParts }, request, context)
        if (!('answer' in whole)) return serve(request, filter, context, whole.refused)
        const { answer: response } = whole
        const { error, result } = response
        if (error !== undefined) return response
        if (last === undefined || (head !== undefined && last <= head - maxReorg)) return response
        if (await hasLastBlock(response, last, headAfter!, context)) return response
        if (isStream(result)) result.cancel()
        if (attempt === mostAttempts) throw new RpcError('unavailable', `no node that answers has block ${last} yet`)
        await pause(backOffMs(attempt + 1), clock, context)
        if (context.cancelled !== undefined) throw context.cancelled
      }
    }

    /** `refused`: the answer to the call as it came, or its failure. */
    async function serve(
      request: RpcRequest,
      filter: Filter,
      context: RpcContext,
      refused?: RpcResponse | RpcError,
    ): Promise<RpcResponse> {
      const failure = refused instanceof RpcError ? refused : refused && failureOf(refused.error!)
      /** Ends the call as it did before its parts were tried. */
      const giveUp = (): RpcResponse => {
        if (refused === undefined || refused instanceof RpcError) throw refused
        return refused
      }
      let range: Awaited<ReturnType<typeof rangeOf>>
      try {
        range = await rangeOf(next, filter, headOf, context)
      } catch (thrown) {
        range = errorAnswer(thrown)
        // A node that refuses to tell of an end of the range has its own words for the range, or all its logs.
        const own = refused === undefined ? await next(request, context) : giveUp()
        if (own.error !== undefined) return own
        const last = lastBlockOf(filter, headOf()?.number)
        const isShort = last !== undefined && isPlain(request, filter, context, last)
        if (isShort && (await hasLastBlock(own, last, headAfter ?? noHead, context))) return own
        if (isStream(own.result)) own.result.cancel()
      }
      if ('code' in range) return { error: range }
      const { fromBlock, toBlock, head, highest } = range
      const blocks = toBlock - fromBlock + 1
      const maxBlocks = mostBlocks()
      const reduced = failure && fewerBlocks(failure, blocks)
      if (failure !== undefined && reduced === undefined) return giveUp()
      // Each further silence costs time.
      const fewer = failure?.code === 'timeout' ? muchFewer(blocks) : reduced?.blocks
      if (blocks > maxBlocks) return { error: invalidParams(`range ${blocks} exceeds limit of ${maxBlocks}`) }
      if (blocks <= 0) return { result: emptyArray() }
      const ends = wholeRange.of(request)
      const mostPlain = Math.min(plainBlocks, limits?.mostBlocks(request, context) ?? plainBlocks)
      if (refused === undefined && blocks <= mostPlain && ends === undefined) return passOn(request, filter, context)
      const { fromBlock: _from, toBlock: _to, ...criteria } = filter
      const search = JSON.stringify(criteria)
      if (search.length > longestSplit)
        return failure === undefined ? { error: invalidParams(tooLongToSplit(mostPlain)) } : giveUp()
      const start = (): LogSegments =>
        createLogSegments({
          ask: next,
          method: request.method,
          mayTryParts,
          sameNode,
          ofNode,
          partOf,
          clock,
          context,
          search,
          fromBlock,
          toBlock,
          ends,
          head: highest,
          finalTo: head - maxReorg,
          firstBlocks: Math.min(firstBlocks, fewer ?? firstBlocks),
          maxSegmentBlocks: options.maxSegmentBlocks ?? maxBlocks,
          alignedIn: isAligned ? blocks : undefined,
          concurrency,
          share,
          aimBytes,
          maxSegmentBytes,
          account: accountOf?.(context),
          limits,
          trust,
          check,
        })
      for (let starts = 1; ; starts++) {
        const segments = start()
        try {
          const result = await answerOf(segments, context.acceptStream)
          const meta = segments.trust === undefined ? undefined : trust?.on(segments.trust)
          return { result, ...(meta && { meta }) }
        } catch (thrown) {
          const why = toRpcError(thrown, 'unavailable', 'the logs could not be read')
          segments.cancel(why)
          if (why instanceof ReplacedError && ends === undefined && starts < mostStarts) continue
          // Parts that fail alike say no more than the whole did.
          if (failure !== undefined && isDoubtful(failure) && isDoubtful(why)) return giveUp()
          return { error: errorAnswer(why) }
        }
      }
    }

    async function answerOf(segments: LogSegments, acceptStream: boolean): Promise<RawJson | RawJsonStream> {
      const { maxBytes = 25_000_000 } = options
      const array = createLogArray()
      const held: Uint8Array[] = []
      let bytes = 0
      for (;;) {
        const logs = await segments.next()
        for (const chunk of logs === undefined ? array.end() : array.add(logs)) {
          held.push(chunk)
          bytes += chunk.byteLength
        }
        if (logs === undefined) {
          segments.give()
          return rawJsonFromChunks(held)
        }
        if (acceptStream && bytes >= heldBytes) {
          segments.begun()
          return streamOf(held, array, segments)
        }
        if (!acceptStream && bytes > maxBytes) {
          throw new RpcError('too_large', `the logs are longer than ${maxBytes} bytes: ask for fewer blocks at a time`)
        }
      }
    }

    return (request, context) => {
      const isTrace = traceMethods.has(request.method)
      if (request.method !== 'eth_getLogs' && !isTrace) return next(request, context)
      const filter = filterIn(request.params)
      if (filter === undefined) return next(request, context)
      if (isTrace && !isSplittableTrace(filter, headOf()?.number, mostBlocks())) return next(request, context)
      return isPlain(request, filter, context) ? passOn(request, filter, context) : serve(request, filter, context)
    }
  }
}

const noHead: HeadAfter = () => Promise.resolve(undefined)

function tooLongToSplit(blocks: number): string {
  const most = `${blocks} ${blocks === 1 ? 'block' : 'blocks'} at a time`
  return `the filter is longer than ${longestSplit} characters: name fewer addresses or topics, or ask for at most ${most}`
}

/** Gives a node's own error, which is an answer; throws any other. */
function errorAnswer(thrown: unknown): RpcErrorObject {
  if (thrown instanceof RpcError && thrown.code === 'rpc' && thrown.rpc !== undefined) return thrown.rpc
  throw thrown
}

function emptyArray(): RawJson {
  return rawJsonFromChunks(createLogArray().end())
}
