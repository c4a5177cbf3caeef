import {
  type CallContext,
  type Clock,
  createContext,
  type Position,
  type RawJson,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcSink,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import { pause } from './ask-once.ts'
import type { BlockLogs } from './block-logs.ts'
import type { StreamBlock } from './block.ts'
import type { BlockPosition, ChainStream } from './chain-source.ts'
import type { FanOut } from './fan-out.ts'
import { createFilterIndex } from './filter-index.ts'
import { createFilterReader, LostCursorError, type Place } from './filter-changes.ts'
import { type LogCriteria, matchesLog } from './log-filter.ts'
import { createMissedBlocks, mostAtOnce } from './missed-blocks.ts'
import type { ResumeFrom } from './resume-from.ts'
import type { StreamLog } from './stream-log.ts'

/** Options of {@link createResume}. */
export interface ResumeOptions {
  readonly stream: ChainStream
  readonly fanOut: FanOut
  readonly blockLogs: BlockLogs
  /** Asked for blocks, and for logs of any range. */
  readonly ask: RpcHandler
  /** Gives the head; undefined while none is known: then a node is asked. */
  readonly headOf: () => BlockPosition | undefined
  readonly clock: Clock
  /** The most blocks that are told from the past; more are -32602. Default 10,000. */
  readonly maxBlocks?: number
  /** The most live events that wait for the past to be told. Default 10,000. */
  readonly maxBuffered?: number
  /** Blocks so far below the head are taken as never replaced. Default 128. */
  readonly maxReorg?: number
}

/** A place that was found: the last block before it, and those told after it that are not on the chain, newest first. */
export interface ResumePoint extends Place {
  /** The lowest block whose logs are taken back where it is replaced. */
  readonly toldFrom: number
}

/** Begins subscriptions in the past. */
export interface Resume {
  /**
   * Finds the place. Call it before the subscription is answered, as its errors are an answer.
   * @throws RpcError whose `rpc` is -32602 for a place too far back, or -32000 for one that is not known
   */
  find(from: ResumeFrom, context: RpcContext): Promise<ResumePoint>
  /** Tells the headers after the place, then live ones. Returns a function that leaves. */
  newHeads(point: ResumePoint, sink: RpcSink): () => void
  /**
   * Takes back the logs of the point's removed blocks, tells those after the place, then live ones. The sink is told `reached` after
   * each part: the first time, only once it has nothing to take back. Returns a function that leaves.
   */
  logs(criteria: LogCriteria, point: ResumePoint, sink: RpcSink): () => void
}

const event = 'eth_subscription'
/** The most addresses that a node is asked for; above them it is asked for all logs. */
const mostAddresses = 32
const pollMs = 50
const patienceMs = 30_000

/** A live event, or the place up to which all were told. */
type Live = { readonly method: string; readonly result: RawJson } | { readonly at: Position }

/** One subscription that is being resumed. */
interface Run {
  readonly context: CallContext
  readonly sink: RpcSink
  /** Live events, held until the past is told; undefined afterwards. */
  held: Live[] | undefined
  /** The last block of which all was told. */
  reached: BlockPosition
  leave: () => void
}

/** Joins the past to a fan-out: each event is told once, whatever is replaced meanwhile. */
export function createResume(options: ResumeOptions): Resume {
  const { stream, fanOut, blockLogs, ask, headOf, clock } = options
  const { maxBlocks = 10_000, maxBuffered = 10_000, maxReorg = 128 } = options
  const reader = createFilterReader({ ask, clock, headOf, maxReorg, maxBlocks, maxHashes: maxBlocks })
  const missed = createMissedBlocks({ ask, clock, maxReorg })

  async function find({ fromBlock, fromHash }: ResumeFrom, context: RpcContext): Promise<ResumePoint> {
    if ((fromBlock === undefined) === (fromHash === undefined)) {
      throw refusal(-32602, 'expected either fromBlock or fromHash')
    }
    const head = await reader.head(context)
    const bound = (blocks: number): void => {
      if (blocks <= maxBlocks) return
      throw refusal(-32602, `expected at most ${maxBlocks} blocks back from the head, ${head.number}, got ${blocks}`)
    }
    let point: ResumePoint
    if (fromHash === undefined) {
      bound(head.number - fromBlock! + 1)
      if (fromBlock! > head.number + 1) {
        throw refusal(-32000, `block ${fromBlock} is above the head, ${head.number}: try again when it is there`)
      }
      point = { ancestor: await missed.before(fromBlock!, context), removed: [], toldFrom: fromBlock! }
    } else {
      const told = await missed.byHash(fromHash, context)
      if (told === undefined) {
        throw refusal(-32000, `no node has block ${fromHash}: resume by fromBlock, some blocks before it`)
      }
      if (told.number > head.number) {
        throw refusal(-32000, `block ${told.number} is above the head, ${head.number}: try again when it is there`)
      }
      const place = await reader.placeOf(told, context).catch((thrown: unknown) => {
        throw thrown instanceof LostCursorError ? refusal(-32000, `${thrown.message}: resume by fromBlock`) : thrown
      })
      point = { ...place, toldFrom: 0 }
    }
    bound(head.number - point.ancestor.number)
    return point
  }

  /** Begins to hold what is live by `join`, tells the past by `tell`, then what was held, then what comes. */
  function start(
    reached: BlockPosition,
    after: BlockPosition,
    sink: RpcSink,
    join: (live: RpcSink, end: StreamBlock) => () => void,
    tell: (run: Run, end: StreamBlock) => Promise<void>,
  ): () => void {
    const context = createContext({ clock, timeoutMs: Number.POSITIVE_INFINITY })
    const run: Run = { context, sink, held: [], reached, leave() {} }
    const stop = (): void => {
      context.cancel(new RpcError('aborted', 'the subscription was ended'))
      run.leave()
    }
    const work = async (): Promise<void> => {
      await tell(run, await joinStream(run, after, (end) => join(liveSink(run, stop), end)))
      const { held } = run
      run.held = undefined
      for (const live of held!) {
        if (context.cancelled !== undefined) return
        if ('at' in live) sink.reached?.(live.at)
        else sink.event(live.method, live.result)
      }
    }
    work().catch((thrown: unknown) => {
      if (context.cancelled !== undefined) return
      stop()
      sink.end(withPlace(toRpcError(thrown, 'unavailable', 'the past could not be told'), run.reached))
    })
    return stop
  }

  /** Joins when the stream has come to the block `after`, and gives its end at that moment. */
  async function joinStream(
    run: Run,
    after: BlockPosition,
    join: (end: StreamBlock) => () => void,
  ): Promise<StreamBlock> {
    const { context } = run
    let lost: RpcError | undefined
    const leave = stream.watch({ update() {}, lost: (_, why) => void (lost = why) })
    try {
      for (let waited = 0; ; waited += pollMs) {
        if (context.cancelled !== undefined) throw context.cancelled
        if (lost !== undefined) throw lost
        const { head } = stream
        if (head !== undefined && head.number >= after.number) {
          run.leave = join(head)
          return head
        }
        if (waited >= patienceMs) throw new RpcError('unavailable', 'the stream has not come so far')
        await pause(pollMs, clock, context)
      }
    } finally {
      leave()
    }
  }

  function liveSink(run: Run, stop: () => void): RpcSink {
    const { sink } = run
    return {
      event(method, result) {
        const { held } = run
        if (held === undefined) return sink.event(method, result)
        if (held.push({ method, result }) > maxBuffered && run.context.cancelled === undefined) {
          stop()
          sink.end(withPlace(new RpcError('overloaded', 'the past is told too slowly'), run.reached))
        }
        return true
      },
      gap: (gap) => sink.gap(gap),
      reached(at) {
        const { held } = run
        if (held === undefined) return sink.reached?.(at)
        const last = held.at(-1)
        if (last !== undefined && 'at' in last) held.pop()
        held.push({ at })
      },
      end(why) {
        if (run.context.cancelled !== undefined) return
        stop()
        // While events are held, its place is not that of the sink.
        const isPast = run.held !== undefined && why?.cause instanceof RpcError
        sink.end(isPast ? withPlace(why.cause as RpcError, run.reached) : why)
      },
    }
  }

  return {
    find,
    newHeads: ({ ancestor, removed }, sink) =>
      start(
        removed[0] ?? ancestor,
        removed[0] ?? ancestor,
        sink,
        (live) => fanOut.newHeads(live),
        async (run, end) => {
          const tell = (blocks: readonly StreamBlock[]): void => {
            for (const block of blocks) {
              if (run.context.cancelled !== undefined) throw run.context.cancelled
              sink.event(event, block.header)
              reach(run, block)
            }
          }
          const { recent, floor } = await missed.recentTo(end, ancestor, stream.recent, run.context)
          // The stream may not have left what is replaced: the caller was told those blocks.
          const told = recent.findLastIndex(({ hash }) => removed.some((block) => block.hash === hash))
          if (told < 0) await missed.oldTo(floor, ancestor, run.context, tell)
          tell(recent.slice(told + 1))
        },
      ),
    logs: (criteria, { ancestor, removed, toldFrom }, sink) =>
      start(
        removed[0] ?? ancestor,
        ancestor,
        sink,
        (live, end) => fanOut.logs(criteria, live, { from: toldFrom, to: end.number }),
        async (run, end) => {
          const { context } = run
          const index = createFilterIndex<undefined>()
          index.add(criteria, undefined)
          const wanted = { logs: true, addresses: index.addresses(mostAddresses), mayMatch: index.mayMatch }
          const tell = (logs: readonly RawJson[], reached: BlockPosition): void => {
            for (const log of logs) {
              if (context.cancelled !== undefined) throw context.cancelled
              sink.event(event, log)
            }
            reach(run, reached)
          }
          const read = async (block: StreamBlock): Promise<readonly StreamLog[]> => {
            const { logs } = await blockLogs.read(block, wanted, context)
            return logs.filter((log) => matchesLog(log, criteria))
          }
          for (const block of removed) {
            const logs = (await read(block)).toReversed()
            tell(
              logs.map((log) => log.removed()),
              { number: block.number - 1, hash: block.parentHash },
            )
          }
          const { recent, floor } = await missed.recentTo(end, ancestor, stream.recent, context)
          if (context.cancelled !== undefined) throw context.cancelled
          reach(run, ancestor)
          await missed.oldLogs(criteria, floor, ancestor, context, tell)
          for (let i = 0; i < recent.length; i += mostAtOnce) {
            const some = recent.slice(i, i + mostAtOnce)
            const logs = await Promise.all(some.map(read))
            for (const [k, block] of some.entries()) {
              tell(
                logs[k]!.map(({ raw }) => raw),
                block,
              )
            }
          }
        },
      ),
  }
}

/** Notes the block up to which all was told. The one before the first block has no hash. */
function reach(run: Run, at: BlockPosition): void {
  run.reached = at
  if (at.number >= 0) run.sink.reached?.({ height: at.number, hash: at.hash })
}

function withPlace(why: RpcError, { number, hash }: BlockPosition): RpcError {
  const place = number < 0 ? 'resume from the first block' : `resume from block ${number} (${hash})`
  return new RpcError(why.code, `${why.message}; ${place}`, { cause: why, reason: place })
}

function refusal(code: number, message: string): RpcError {
  return new RpcError('denied', message, { delivery: 'not_sent', rpc: { code, message } })
}
