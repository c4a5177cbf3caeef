import { type Clock, type RpcContext, RpcError, type RpcHandler, type RpcSink } from '@wayleave/jsonrpc-core'
import { type BlockLogs, mostAddresses } from './block-logs.ts'
import { type StreamBlock, streamBlockOf } from './block.ts'
import type { BlockPosition, ChainStream } from './chain-source.ts'
import type { FanOut } from './fan-out.ts'
import { createFilterIndex } from './filter-index.ts'
import { createFilterReader } from './filter-changes.ts'
import { LostCursorError, type Place } from './filter-place.ts'
import { type LogCriteria, matchesLog } from './log-filter.ts'
import { createMissedBlocks, mostAtOnce } from './missed-blocks.ts'
import { createPastQuestions } from './past-questions.ts'
import type { ResumeFrom } from './resume-from.ts'
import { type ResumeRunOptions, startResumeRun } from './resume-run.ts'
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
  readonly reportedFrom: number
  /** The tenant of the caller, for which the past is asked for. */
  readonly tenant: string | undefined
}

/** Begins subscriptions in the past. */
export interface Resume {
  /**
   * Finds the place. Call it before the subscription is answered, as its errors are an answer.
   * @throws RpcError whose `rpc` is -32602 for a place too far back, -32000 for one that is not known, or -32005 where too much waits
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

/** The most values of a filter that are looked for in the bloom filters of headers. */
const mostBloomed = 200

/** Joins the past to a fan-out: each event is told once, whatever is replaced meanwhile. */
export function createResume(options: ResumeOptions): Resume {
  const { stream, fanOut, blockLogs, ask, headOf, clock } = options
  const { maxBlocks = 10_000, maxBuffered = 10_000, maxReorg = 128 } = options
  const questions = createPastQuestions({ ask, clock, headOf, maxReorg })
  const reader = createFilterReader({ ask: questions.ask, clock, headOf, maxReorg, maxBlocks, maxHashes: maxBlocks })
  const missed = createMissedBlocks({ ask: questions.ask, clock, maxReorg })

  async function find({ fromBlock, fromHash }: ResumeFrom, context: RpcContext): Promise<ResumePoint> {
    if ((fromBlock === undefined) === (fromHash === undefined)) {
      throw refusal(-32602, 'expected either fromBlock or fromHash')
    }
    const { tenant } = context
    if (questions.isFull(tenant)) throw refusal(-32005, 'too many subscriptions are being resumed: try again')
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
      point = {
        ancestor: await missed.before(fromBlock!, head.number, context),
        removed: [],
        reportedFrom: fromBlock!,
        tenant,
      }
    } else {
      const reported = await missed.byHash(fromHash, context)
      if (reported === undefined) {
        throw refusal(-32000, `no node has block ${fromHash}: resume by fromBlock, some blocks before it`)
      }
      if (reported.number > head.number) {
        throw refusal(-32000, `block ${reported.number} is above the head, ${head.number}: try again when it is there`)
      }
      const place = await reader.placeOf(reported, context).catch((thrown: unknown) => {
        throw thrown instanceof LostCursorError ? refusal(-32000, `${thrown.message}: resume by fromBlock`) : thrown
      })
      point = { ...place, reportedFrom: 0, tenant }
    }
    bound(head.number - point.ancestor.number)
    return point
  }

  function start(
    { tenant }: ResumePoint,
    sink: RpcSink,
    run: Pick<ResumeRunOptions, 'reached' | 'after' | 'join' | 'report' | 'placeOf'>,
  ): () => void {
    return startResumeRun({ stream, clock, tenant, sink, maxBuffered, ...run })
  }

  return {
    find,
    newHeads(point, sink) {
      const { ancestor, removed } = point
      const reached = removed[0] ?? ancestor
      return start(point, sink, {
        reached,
        after: reached,
        join: (live) => fanOut.newHeads(live),
        placeOf: streamBlockOf,
        async report({ context, report }, end) {
          const notifyAll = async (blocks: readonly StreamBlock[]): Promise<void> => {
            for (const block of blocks) await report([block.header], block)
          }
          const { recent, floor } = await missed.recentTo(end, ancestor, stream.recent, context)
          // The stream may not have left what is replaced: the caller was told those blocks.
          const reported = recent.findLastIndex(({ hash }) => removed.some((block) => block.hash === hash))
          if (reported < 0) await missed.oldTo(floor, ancestor, context, notifyAll)
          await notifyAll(recent.slice(reported + 1))
        },
      })
    },
    logs(criteria, point, sink) {
      const { ancestor, removed, reportedFrom } = point
      return start(point, sink, {
        reached: removed[0] ?? ancestor,
        after: ancestor,
        join: (live, end) => fanOut.logs(criteria, live, { from: reportedFrom, to: end.number }),
        async report({ context, report, reach }, end) {
          const index = createFilterIndex<undefined>(Number.POSITIVE_INFINITY, mostBloomed)
          index.add(criteria, undefined)
          const wanted = { logs: true, addresses: index.addresses(mostAddresses), mayMatch: index.mayMatch }
          const read = async (block: StreamBlock): Promise<readonly StreamLog[]> => {
            const { logs } = await questions.inTurn(context, () => blockLogs.read(block, wanted, context))
            return logs.filter((log) => matchesLog(log, criteria))
          }
          for (const [i, block] of removed.entries()) {
            const logs = (await read(block)).toReversed().map((log) => log.removed())
            await report(logs, removed[i + 1] ?? ancestor)
          }
          const { recent, floor } = await missed.recentTo(end, ancestor, stream.recent, context)
          if (context.cancelled !== undefined) throw context.cancelled
          reach(ancestor)
          await missed.oldLogs(criteria, floor, ancestor, context, report)
          for (let i = 0; i < recent.length; i += mostAtOnce) {
            const some = recent.slice(i, i + mostAtOnce)
            const logs = await Promise.all(some.map(read))
            for (const [k, block] of some.entries())
              await report(
                logs[k]!.map(({ raw }) => raw),
                block,
              )
          }
        },
      })
    },
  }
}

function refusal(code: number, message: string): RpcError {
  return new RpcError('denied', message, { delivery: 'not_sent', rpc: { code, message } })
}
