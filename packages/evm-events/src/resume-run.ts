import {
  type CallContext,
  type Clock,
  createContext,
  type Position,
  type RawJson,
  RpcError,
  type RpcSink,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import { pause } from './ask-once.ts'
import type { StreamBlock } from './block.ts'
import type { BlockPosition, ChainStream } from './chain-source.ts'
import { endWithPlace } from './end-with-place.ts'
import type { FanOutSink } from './fan-out.ts'
import { createPacedSink } from './paced-sink.ts'

/** One subscription that is being resumed. */
interface ResumeRun {
  readonly context: CallContext
  /** Tells the events of one block, or of none, and notes that all was told up to `at`. Resolves when the sink has room. */
  report(events: readonly RawJson[], at: BlockPosition): Promise<void>
  /** Notes the block up to which all was told. The one before the first block has no hash. */
  reach(at: BlockPosition): void
}

export interface ResumeRunOptions {
  readonly stream: ChainStream
  readonly clock: Clock
  readonly tenant: string | undefined
  readonly sink: RpcSink
  /** The last block of which all was told. */
  readonly reached: BlockPosition
  /** The stream must have come to this one before it is joined. */
  readonly after: BlockPosition
  /** The most live events that wait for the past to be told. */
  readonly maxBuffered: number
  /** Joins what is live, which begins after `end`. Returns a function that leaves. */
  readonly join: (live: FanOutSink, end: StreamBlock) => () => void
  /** Reads the place from a live event that is all of its block. Default: events are followed by their place. */
  readonly placeOf?: (result: RawJson) => BlockPosition | undefined
  /** Tells the past, up to `end`. */
  readonly report: (run: ResumeRun, end: StreamBlock) => Promise<void>
}

/** A live event, or the place up to which all were told. */
type Live = { readonly method: string; readonly result: RawJson } | { readonly at: Position }

const event = 'eth_subscription'
const pollMs = 50
const patienceMs = 30_000

/** Begins to hold what is live, tells the past, then what was held, then what comes. Returns a function that leaves. */
export function startResumeRun(options: ResumeRunOptions): () => void {
  const { clock, sink, maxBuffered, after } = options
  const context = createContext({ clock, timeoutMs: Number.POSITIVE_INFINITY, tenant: options.tenant })
  const paced = createPacedSink(sink, clock)
  /** Live events, held until the past is told; undefined afterwards. */
  let held: Live[] | undefined = []
  let { reached } = options
  let leave = (): void => {}

  function stop(): void {
    context.cancel(new RpcError('aborted', 'the subscription was ended'))
    leave()
  }

  function fail(why: RpcError): void {
    if (context.cancelled !== undefined) return
    stop()
    sink.end(endWithPlace(why, reached))
  }

  function reach(at: BlockPosition): void {
    reached = at
    if (at.number >= 0) sink.reached?.({ height: at.number, hash: at.hash })
  }

  async function report(events: readonly RawJson[], at: BlockPosition): Promise<void> {
    for (const one of events) {
      if (context.cancelled !== undefined) throw context.cancelled
      paced.event(event, one)
    }
    reach(at)
    await paced.room(context)
    if (context.cancelled !== undefined) throw context.cancelled
  }

  /** Waits until the stream has come to the block `after`, joins, and gives its end at that moment. */
  async function joinStream(): Promise<StreamBlock> {
    const { stream, join } = options
    let lost: RpcError | undefined
    const unwatch = stream.watch({ update() {}, lost: (_, why) => void (lost = why) })
    try {
      for (let waited = 0; ; waited += pollMs) {
        if (context.cancelled !== undefined) throw context.cancelled
        if (lost !== undefined) throw lost
        const { head } = stream
        if (head !== undefined && head.number >= after.number) {
          leave = join(live, head)
          return head
        }
        if (waited >= patienceMs) throw new RpcError('unavailable', 'the stream has not come so far')
        await pause(pollMs, clock, context)
      }
    } finally {
      unwatch()
    }
  }

  /** Tells what was held meanwhile, as fast as the sink takes it. */
  async function reportHeld(): Promise<void> {
    for (let some = held!; some.length > 0; some = held!) {
      held = []
      for (const one of some) {
        if (context.cancelled !== undefined) throw context.cancelled
        if ('at' in one) reach({ number: one.at.height, hash: one.at.hash ?? '' })
        else paced.event(one.method, one.result)
        const place = 'at' in one ? undefined : options.placeOf?.(one.result)
        if (place !== undefined) reached = place
        if ('at' in one || place !== undefined) await paced.room(context)
      }
    }
    held = undefined
  }

  const live: FanOutSink = {
    event(method, result) {
      if (held === undefined) return sink.event(method, result)
      if (held.push({ method, result }) > maxBuffered) fail(new RpcError('overloaded', 'the past is told too slowly'))
      return true
    },
    gap: (gap) => sink.gap(gap),
    reached(at) {
      if (held === undefined) return sink.reached?.(at)
      const last = held.at(-1)
      if (last !== undefined && 'at' in last) held.pop()
      held.push({ at })
    },
    end(why) {
      if (context.cancelled !== undefined) return
      stop()
      sink.end(why)
    },
    place: () => (held === undefined ? undefined : reached),
  }

  joinStream()
    .then((end) => options.report({ context, report, reach }, end))
    .then(reportHeld)
    .catch((thrown: unknown) => fail(toRpcError(thrown, 'unavailable', 'the past could not be told')))
  return stop
}
