import type { Clock } from '@wayleave/jsonrpc-core'
import { createSeriesMirror, type Log, type LogOptions } from '@wayleave/telemetry'
import type { PinnedConfig } from '../chains/pinned-config.ts'
import { ConfigError } from '../config/check.ts'
import type { GasQuestion, ReportedGas } from '../gas/report-gas.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { WorkerPhase } from '../telemetry/worker-metrics.ts'
import type { ExplainQuestion } from '../trace/explain-calls.ts'
import type { RecordedCall } from '../trace/recorded-call.ts'
import type { Explanation } from '../trace/explanation.ts'
import { divideConfig } from './divide-config.ts'
import { workerObstacle } from './worker-obstacle.ts'
import { topics } from '../shared-state/topics.ts'
import type { WorkerStart } from './worker-messages.ts'
import { createSpareProcess } from './spare-process.ts'
import type { StartWorker } from '../shared-state/worker-line.ts'
import { isDoneWithin } from '../waits.ts'
import { type RunningWorker, runWorker, type ServeState } from './run-worker.ts'

/** The worker processes of a gateway, as its primary process sees them. */
export interface Workers {
  readonly count: number
  /** Workers that serve. */
  readonly serving: number
  /** Workers that were started in the place of one that had ended, so far. */
  readonly restarts: number
  /** Starts them all. Resolves when they serve. @throws ListenError, ConfigError, Error as the first that fails; all are ended then */
  open(): Promise<void>
  /**
   * Has all open a configuration beside the present one. @throws ConfigError where one cannot: none has it then. A worker that ends
   * meanwhile is no reason; the one in its place comes to what serves.
   */
  prepare(config: PinnedConfig): Promise<PreparedWorkers>
  /** Brings the counts of all up to date, within half a second: those of a worker that is slower are as old as its last word. */
  refresh(): Promise<void>
  /** Asks all what became of calls, within two seconds: undefined of one that gave no answer. */
  explain(question: ExplainQuestion): Promise<readonly (readonly Explanation[] | undefined)[]>
  /** Asks all for the calls that they remember, likewise. */
  records(): Promise<readonly (readonly RecordedCall[] | undefined)[]>
  /** Asks all for the gas fees that they follow, likewise. */
  gas(question: GasQuestion): Promise<readonly (readonly ReportedGas[] | undefined)[]>
  /** Has each connection end with its next answer, as it is to be sent no more calls, also of those that come later. */
  release(): void
  /** Has all finish what they have. Resolves when they have ended. */
  close(): Promise<void>
  /** Has them cut what is left. */
  terminate(): void
}

export interface PreparedWorkers {
  /** Resolves when each worker serves it, or has ended, within five seconds. */
  commit(): Promise<void>
  abandon(): Promise<void>
}

export interface WorkersOptions {
  readonly count: number
  readonly start: StartWorker
  /** `host:port` of JSON-RPC; not port 0. */
  readonly rpc: string
  readonly config: PinnedConfig
  /** The memory of all of them together, in bytes. */
  readonly memoryBytes: number
  readonly absentNetworks: Readonly<Record<string, string>>
  readonly logLevel: LogOptions['level']
  /** Serves the state that they share on the channel of each. Default: they share none. */
  readonly serveState?: ServeState | undefined
  /** Whether one process more waits to take the place of one that ends. Default true. */
  readonly hasSpare?: boolean
  readonly metrics: Pick<Metrics, 'watchWorkers'>
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
}

/** A worker that served for so long, in ms, is replaced at once when it ends. */
const settledMs = 10_000
/** The pause before a worker that ended early is replaced, in ms; it doubles each time. */
const firstPauseMs = 100
const longestPauseMs = 10_000
/** Longest wait of a scrape for the counts of a worker, in ms. */
const countsMs = 500
/** Longest wait for what a worker tells of its calls and its gas fees, in ms. */
const reportMs = 2_000
/** Longest wait for a worker to take a configuration that it has prepared, in ms. */
const commitMs = 5_000

/** Creates the workers of a gateway; none runs before `open`. */
export function createWorkers(options: WorkersOptions): Workers {
  const { count, rpc, memoryBytes, absentNetworks, logLevel, hasSpare = true, metrics, clock, log } = options
  const running = new Map<number, RunningWorker>()
  /** Workers that begin anew after a pause, with the functions that cancel it. */
  const pauses = new Map<number, () => void>()
  const failures = new Map<number, number>()
  /** Workers that are on their way to the present configuration. */
  const behind = new Set<RunningWorker>()
  const ended = createSeriesMirror()
  const spare = createSpareProcess(options.start, clock)
  let { config } = options
  let version = 0
  let restarts = 0
  let isOpen = false
  let isReleasing = false
  let isClosing = false

  function startOf(slot: number): WorkerStart {
    return {
      config: divideConfig(config, { slot, count, rpc }),
      slot,
      memoryBytes: Math.floor(memoryBytes / count),
      absentNetworks,
      logLevel,
    }
  }

  function run(slot: number): RunningWorker {
    const worker = runWorker({
      start: spare.start,
      first: startOf(slot),
      version,
      serveState: options.serveState,
      clock,
      onUnfit: (why) => log.error({ worker: slot, why }, 'a worker is ended'),
    })
    running.set(slot, worker)
    let since = Number.POSITIVE_INFINITY
    worker.started.then(
      () => {
        since = clock.now()
        if (isReleasing) worker.release()
        if (isOpen) log.info({ worker: slot }, 'a worker serves in the place of the one that ended')
        void catchUp(worker)
      },
      (err: unknown) => isOpen && log.error({ err, worker: slot }, 'a worker could not start'),
    )
    void worker.ended.then((why) => {
      running.delete(slot)
      ended.adopt(worker.mirror)
      if (!isOpen || isClosing) return
      log.error({ worker: slot, why }, 'a worker has ended; another one takes its place')
      replace(slot, clock.now() - since >= settledMs)
    })
    return worker
  }

  function replace(slot: number, isSettled: boolean): void {
    const failed = isSettled ? 0 : (failures.get(slot) ?? 0)
    failures.set(slot, failed + 1)
    restarts++
    const begin = (): void => {
      pauses.delete(slot)
      run(slot)
    }
    if (failed === 0) return begin()
    pauses.set(slot, clock.after(Math.min(firstPauseMs * 2 ** (failed - 1), longestPauseMs), begin))
  }

  /** Brings a worker that began with an earlier configuration to the present one. */
  async function catchUp(worker: RunningWorker): Promise<void> {
    if (behind.has(worker)) return
    behind.add(worker)
    await bringUp(worker)
    behind.delete(worker)
  }

  async function bringUp(worker: RunningWorker): Promise<void> {
    while (worker.version !== version && running.get(worker.slot) === worker) {
      const wanted = version
      const problems = await worker.prepare(startOf(worker.slot).config)
      if (problems === undefined) return
      if (problems.length > 0) return worker.kill()
      await worker.settle(topics.commit)
      worker.version = wanted
    }
  }

  const within = (ms: number, work: Promise<unknown>): Promise<boolean> => isDoneWithin(ms, work, clock)
  const all = (): readonly RunningWorker[] => [...running.values()]

  /** Asks all that serve; undefined of one that gave no answer in time. */
  async function askEach<T>(
    ask: (worker: RunningWorker) => Promise<T | undefined>,
  ): Promise<readonly (T | undefined)[]> {
    // A worker that does not serve yet has nothing to report.
    const asked = all().filter(({ state }) => state !== 'starting')
    const answers = asked.map(async (worker) => {
      let reported: T | undefined
      await within(
        reportMs,
        ask(worker).then((answer) => (reported = answer)),
      )
      return reported
    })
    return await Promise.all(answers)
  }

  function states(): Record<WorkerPhase, number> {
    const found = { starting: pauses.size, serving: 0, draining: 0 }
    for (const { state } of running.values()) found[state]++
    return found
  }
  metrics.watchWorkers({
    mirrors: () => [ended, ...all().map(({ mirror }) => mirror)],
    states,
    restarts: () => restarts,
  })

  return {
    count,
    get serving() {
      return states().serving
    },
    get restarts() {
      return restarts
    },
    async open() {
      const begun = Array.from({ length: count }, (_, i) => run(i + 1))
      try {
        await Promise.all(begun.map(({ started }) => started))
        isOpen = true
        if (hasSpare) spare.prepare()
      } catch (thrown) {
        for (const worker of begun) worker.kill()
        await Promise.all(begun.map((worker) => worker.ended))
        throw thrown
      }
    },
    async prepare(next) {
      const obstacle = workerObstacle(next)
      if (obstacle !== undefined) throw new ConfigError([obstacle])
      // A worker that has not come so far takes it when it has.
      const asked = all().filter(({ state }) => state === 'serving')
      const answers = await Promise.all(
        asked.map((worker) => worker.prepare(divideConfig(next, { slot: worker.slot, count, rpc }))),
      )
      const abandon = async (): Promise<void> => {
        await Promise.all(asked.map((worker) => worker.settle(topics.abandon)))
      }
      const problems = answers.find((found) => found !== undefined && found.length > 0)
      if (problems !== undefined) {
        await abandon()
        throw new ConfigError(problems)
      }
      return {
        abandon,
        async commit() {
          config = next
          version++
          const committed = version
          await Promise.all(
            asked.map(async (worker) => {
              worker.version = committed
              if (!(await within(commitMs, worker.settle(topics.commit)))) worker.kill()
            }),
          )
          // Workers that came to serve since they were asked.
          for (const worker of all()) if (worker.state === 'serving') void catchUp(worker)
        },
      }
    },
    async refresh() {
      await within(countsMs, Promise.all(all().map((worker) => worker.refresh())))
    },
    explain: (question) => askEach((worker) => worker.explain(question)),
    records: () => askEach((worker) => worker.records()),
    gas: (question) => askEach((worker) => worker.gas(question)),
    release() {
      isReleasing = true
      for (const worker of all()) worker.release()
    },
    async close() {
      isClosing = true
      spare.close()
      for (const cancel of pauses.values()) cancel()
      pauses.clear()
      const left = all()
      for (const worker of left) {
        if (worker.state === 'starting') worker.kill()
        else worker.drain()
      }
      await Promise.all(left.map((worker) => worker.ended))
    },
    terminate() {
      for (const worker of all()) worker.terminate()
    },
  }
}
