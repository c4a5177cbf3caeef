import type { AdminEventSink, CallPort, DroppedCalls, LiveCall, LiveCallQuery } from '@wayleave/admin-api'
import type { Clock } from '@wayleave/jsonrpc-core'
import { explainRecord, explainRefusal, nodeErrorText } from './explain-call.ts'
import type { Explanation } from './explanation.ts'
import type { CallFacts, CallRecorder, RecorderTap } from './recorder.ts'

/** Tells readers the calls that end, in this process and in its workers. While nobody reads, it does not listen. */
export interface LiveCalls extends CallPort {
  /**
   * Tells a sink the calls that it wants: the last hundred of them, and those that end from now on. Returns a function that ends that. `process`:
   * the name that calls have there.
   */
  follow(wanted: LiveCallQuery, sink: AdminEventSink, process?: string): () => void
  /** Calls `watch` with each reader there is, and with each that comes, and what it returns once the reader has left. */
  watchReaders(watch: (reader: LiveReader) => () => void): () => void
  /** Ends all readers. */
  close(): void
}

/** A reader, as those see them who have calls for them. */
export interface LiveReader {
  readonly wanted: LiveCallQuery
  /** Tells a call that they want. */
  add(call: LiveCall): void
  /** Counts calls that were left out. */
  lose(count: number): void
}

export interface LiveCallsOptions {
  readonly recorder: Pick<CallRecorder, 'tap' | 'latest'>
  /** `host:pid`. */
  readonly process: string
  readonly clock: Pick<Clock, 'now' | 'date' | 'after'>
}

/** The events of a stream. */
export const liveEvents = { calls: 'calls', dropped: 'dropped' } as const

const mostReaders = 20
/** A reader is told at most once in this time, in ms, and so many calls then. */
const everyMs = 100
const mostInBatch = 200
/** Calls that ended before a reader came, and that they are told. */
const mostBefore = 100

interface Reader extends LiveReader {
  readonly process: string
  hasRoom(): boolean
  flush(): void
  end(): void
}

interface Watcher {
  readonly watch: (reader: LiveReader) => () => void
  readonly left: Map<Reader, () => void>
}

/** Creates it. */
export function createLiveCalls({ recorder, process: ownName, clock }: LiveCallsOptions): LiveCalls {
  const readers = new Set<Reader>()
  const watchers = new Set<Watcher>()
  let stopFlush: (() => void) | undefined

  const dateOf = (at: number): number => Math.round(clock.date() - clock.now() + at)

  /** Tells everybody who wants a call; it is made only if somebody has room for it. */
  function report(call: CallFacts, make: () => Omit<LiveCall, 'process'>): void {
    let made: Omit<LiveCall, 'process'> | undefined
    for (const reader of readers) {
      if (!isWanted(reader.wanted, call)) continue
      if (reader.hasRoom()) reader.add({ ...(made ??= make()), process: reader.process })
      else reader.lose(1)
    }
  }

  const tap: RecorderTap = {
    wentWell(trace, ms, upstream, cache, _verification, error) {
      const outcome = error === undefined ? 'answered' : 'node_error'
      const code = error?.code
      const cause = error && nodeErrorText(upstream, error)
      report({ trace, outcome, ms }, () => {
        const { id, network, method, project, keyId, begunAt } = trace
        const time = dateOf(begunAt)
        return { id, time, network, method, project, keyId, outcome, code, ms: rounded(ms), upstream, cache, cause }
      })
    },
    keep(record) {
      const { trace, outcome, ms } = record
      report({ trace, outcome, ms }, () => liveCallOf(explainRecord(record, noTime), dateOf(trace.begunAt)))
    },
    refused(refusal) {
      const call = { trace: undefined, outcome: 'refused', ms: 0 } as const
      report(call, () => liveCallOf(explainRefusal(refusal, noTime), dateOf(refusal.at)))
    },
  }

  function flush(): void {
    stopFlush = undefined
    for (const reader of readers) reader.flush()
  }

  function createReader(wanted: LiveCallQuery, sink: AdminEventSink, process: string): Reader {
    let calls: LiveCall[] = []
    let dropped = 0
    const flushLater = (): void => void (stopFlush ??= clock.after(everyMs, flush))
    return {
      wanted,
      process,
      hasRoom: () => calls.length < mostInBatch,
      add(call) {
        if (calls.length < mostInBatch) calls.push(call)
        else dropped++
        flushLater()
      },
      lose(count) {
        dropped += count
        flushLater()
      },
      flush() {
        if (calls.length > 0 && !sink.send(liveEvents.calls, calls)) dropped += calls.length
        calls = []
        const lost: DroppedCalls = { count: dropped }
        if (dropped > 0 && sink.send(liveEvents.dropped, lost)) dropped = 0
        // The reader is told of them when there is room.
        if (dropped > 0) flushLater()
      },
      end: () => sink.end(),
    }
  }

  function follow(wanted: LiveCallQuery, sink: AdminEventSink, process = ownName): () => void {
    const reader = createReader(wanted, sink, process)
    readers.add(reader)
    for (const { watch, left } of watchers) left.set(reader, watch(reader))
    for (const [begunAt, explanation] of recorder.latest(mostBefore, (call) => isWanted(wanted, call))) {
      reader.add({ ...liveCallOf(explanation, dateOf(begunAt)), process })
    }
    if (readers.size === 1) recorder.tap(tap)
    return () => {
      readers.delete(reader)
      for (const { left } of watchers) {
        left.get(reader)?.()
        left.delete(reader)
      }
      if (readers.size > 0) return
      recorder.tap(undefined)
      stopFlush?.()
      stopFlush = undefined
    }
  }

  return {
    follow,
    live(wanted) {
      if (readers.size >= mostReaders) return undefined
      return (sink) => {
        if (readers.size < mostReaders) return follow(wanted, sink)
        sink.end()
        return () => {}
      }
    },
    watchReaders(watch) {
      const watcher: Watcher = { watch, left: new Map(Array.from(readers, (reader) => [reader, watch(reader)])) }
      watchers.add(watcher)
      return () => void watchers.delete(watcher)
    },
    close() {
      for (const reader of readers) reader.end()
    },
  }
}

function isWanted({ network, project, method, outcome, minMs = 0 }: LiveCallQuery, call: CallFacts): boolean {
  const { trace } = call
  return (
    call.ms >= minMs &&
    (outcome === undefined || outcome === call.outcome) &&
    (network === undefined || network === trace?.network) &&
    (project === undefined || project === trace?.project) &&
    (method === undefined || method === trace?.method)
  )
}

function liveCallOf(explained: Explanation, time: number): Omit<LiveCall, 'process'> {
  const { id, network, method, project, keyId, outcome, code, ms, upstream, cache, queuedMs, cause } = explained
  const attempts = explained.attempts.map((attempt) => ({
    upstream: attempt.upstream,
    atMs: rounded(attempt.atMs),
    ms: attempt.ms === undefined ? undefined : rounded(attempt.ms),
    isHedge: attempt.isHedge,
    outcome: attempt.outcome,
  }))
  return {
    id,
    time,
    network,
    method,
    project,
    keyId,
    outcome,
    code,
    ms: rounded(ms),
    upstream,
    cache,
    attempts,
    queuedMs: queuedMs === undefined ? undefined : rounded(queuedMs),
    cause,
  }
}

const noTime = (): string => ''

/** Microseconds are enough for people. */
function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000
}
