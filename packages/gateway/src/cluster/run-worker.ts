import type { Clock } from '@wayleave/jsonrpc-core'
import { ListenError } from '@wayleave/http-server'
import { createSeriesMirror, type FamilyChange, type SeriesMirror } from '@wayleave/telemetry'
import { ConfigError, type ConfigProblem } from '../config/check.ts'
import type { GasQuestion, ReportedGas } from '../gas/report-gas.ts'
import type { WorkerPhase } from '../telemetry/worker-metrics.ts'
import type { ExplainQuestion } from '../trace/explain-calls.ts'
import type { RecordedCall } from '../trace/recorded-call.ts'
import type { Explanation } from '../trace/explanation.ts'
import type { Channel } from '../shared-state/channel.ts'
import { topics } from '../shared-state/topics.ts'
import { type SilenceWatch, watchSilence } from './silence-watch.ts'
import type { Prepared, WorkerStart, WorkerStarted } from './worker-messages.ts'
import type { StartWorker, WorkerProcess } from '../shared-state/worker-line.ts'

/** One process of a worker, from its start to its end. */
export interface RunningWorker {
  readonly slot: number
  readonly pid: number | undefined
  readonly state: WorkerPhase
  /** The series that it has told. */
  readonly mirror: SeriesMirror
  /** The configuration that it began with, or took since, by its number. */
  version: number
  /** Resolves when it serves. @throws ConfigError, ListenError, Error */
  readonly started: Promise<void>
  /** Resolves when it has ended, with the reason in words. */
  readonly ended: Promise<string>
  /** Opens a configuration beside the present one; the problems, or undefined where the worker has ended. */
  prepare(config: WorkerStart['config']): Promise<readonly ConfigProblem[] | undefined>
  /** Has it serve, or give up, what it has prepared. Resolves when it does, or has ended. */
  settle(topic: typeof topics.commit | typeof topics.abandon): Promise<void>
  /** Asks for its counts. Resolves when they are in the mirror, or it has ended. */
  refresh(): Promise<void>
  /** Asks what became of calls; undefined where it has ended. */
  explain(question: ExplainQuestion): Promise<readonly Explanation[] | undefined>
  records(): Promise<readonly RecordedCall[] | undefined>
  /** Asks for the gas fees that it follows; undefined where it has ended. */
  gas(question: GasQuestion): Promise<readonly ReportedGas[] | undefined>
  /** Has each connection end with its next answer, as it is to be sent no more calls. */
  release(): void
  drain(): void
  terminate(): void
  kill(): void
}

/** Serves what workers share, and what they tell, on the channel of one. Returns a function that ends that. */
export type ServeState = (channel: Channel, slot: number) => () => void

export interface RunWorkerOptions {
  readonly start: StartWorker
  readonly first: WorkerStart
  readonly version: number
  readonly serveState: ServeState | undefined
  readonly clock: Clock
  /** Called with the reason for which it is ended from here. */
  readonly onUnfit: (why: string) => void
}

/** Longest time from the start of a process to its first word, and from there to its service, in ms. */
const slowestStartMs = 60_000
/** Time that it has to end after it was told to cut what is left, in ms. */
const lastMs = 1_000

/** Starts the process of a worker, and has it serve. */
export function runWorker(options: RunWorkerOptions): RunningWorker {
  const { start, first, version, serveState, clock, onUnfit } = options
  const mirror = createSeriesMirror()
  let state: WorkerPhase = 'starting'
  let hasEnded = false
  const process: WorkerProcess = start(() => endIt('it does not read what it is told'))
  const { channel } = process

  function endIt(why: string): void {
    if (hasEnded) return
    onUnfit(why)
    process.kill()
  }

  const stopState = serveState?.(channel, first.slot)
  channel.serve(topics.beat, (changes) => mirror.apply(changes as readonly FamilyChange[]))
  // Loading the code takes seconds of one turn, so that only a worker that serves is watched.
  let silence: SilenceWatch | undefined
  channel.serve(topics.alive, () => silence?.heard())
  const stopPatience = clock.after(slowestStartMs, () => endIt('it did not come to serve in time'))
  const ended = process.ended.then((why) => {
    hasEnded = true
    silence?.stop()
    stopPatience()
    stopState?.()
    return why
  })

  async function begin(): Promise<void> {
    await Promise.race([
      process.ready,
      ended.then((why) => Promise.reject(new Error(`a worker could not begin: ${why}`))),
    ])
    const answer = (await channel.ask(topics.start, first)) as WorkerStarted
    stopPatience()
    if (answer.ok) {
      if (state === 'starting') state = 'serving'
      if (!hasEnded) silence = watchSilence({ clock, sample: () => process.sample(), onStuck: endIt })
      return
    }
    const { failure } = answer
    if (failure.kind === 'config') throw new ConfigError(failure.problems)
    throw failure.kind === 'listen' ? new ListenError(failure.message) : new Error(failure.message)
  }
  const started = begin()
  started.catch(() => process.kill())

  /** Asks; undefined where the worker ends before it answers. */
  const ask = (topic: string, body?: unknown): Promise<unknown> => channel.ask(topic, body).catch(() => undefined)

  return {
    slot: first.slot,
    pid: process.pid,
    get state() {
      return state
    },
    mirror,
    version,
    started,
    ended,
    async prepare(config) {
      const answer = (await ask(topics.prepare, config)) as Prepared | undefined
      return answer?.problems
    },
    settle: async (topic) => void (await ask(topic)),
    async refresh() {
      const changes = (await ask(topics.metrics)) as readonly FamilyChange[] | undefined
      if (changes !== undefined) mirror.apply(changes)
    },
    explain: async (question) => (await ask(topics.explain, question)) as readonly Explanation[] | undefined,
    records: async () => (await ask(topics.records)) as readonly RecordedCall[] | undefined,
    gas: async (question) => (await ask(topics.gas, question)) as readonly ReportedGas[] | undefined,
    release: () => channel.report(topics.release),
    drain() {
      state = 'draining'
      channel.report(topics.drain)
    },
    terminate() {
      channel.report(topics.terminate)
      const stop = clock.after(lastMs, () => process.kill())
      void ended.then(stop)
    },
    kill: () => process.kill(),
  }
}
