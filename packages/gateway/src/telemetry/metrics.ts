import type { Clock } from '@wayleave/jsonrpc-core'
import type { CallPurpose, UpstreamCounts, UpstreamGauges } from '@wayleave/network'
import {
  type Counter,
  createRegistry,
  type FamilyChange,
  follow,
  type Histogram,
  type MetricFamily,
  type ReadSeries,
} from '@wayleave/telemetry'
import { type CountedCall, createCallMetrics } from './call-metrics.ts'
import { createMetricFamilies, type MetricFamilies } from './families.ts'
import { createOpenCalls, type OpenCalls } from './open-calls.ts'
import { type ProcessMetricsOptions, watchProcess } from './process-metrics.ts'
import { createProjectLabels, type ProjectLabels } from './project-label.ts'
import { type CacheMetrics, createCacheMetrics } from './cache-metrics.ts'
import { createStreamMetrics, type NetworkStreamMetrics } from './stream-metrics.ts'
import { createUpstreamMetrics } from './upstream-metrics.ts'
import { createWorkerMetrics, type WatchedWorkers } from './worker-metrics.ts'

/** The counts of one network. */
export interface NetworkMetrics extends NetworkStreamMetrics, UpstreamCounts {
  /** The calls that have begun and have no answer yet. */
  readonly open: OpenCalls
  /** Counts a call, also one of a batch. */
  called(call: CountedCall): void
  /** Counts an HTTP answer or a WebSocket reply, and its time from the whole request on, in ms. */
  answered(status: number, ms: number): void
  /** Counts a call that no upstream answered, also in a batch, by the code of its `RpcError`. */
  rejected(code: string): void
  /** Prints the states of these upstreams from now on, in the place of those before. */
  watchUpstreams(read: () => readonly UpstreamGauges[]): void
  connections(change: 1 | -1): void
  /** Counts a call that waited for an upstream with room for it, and how long, in ms. */
  queued(ms: number): void
}

export interface MetricsOptions {
  /** The labels of projects. Default: given here, 100 of them beside the projects of the configuration. */
  readonly labels?: ProjectLabels | undefined
  /** The process whose state is printed. Default: none. */
  readonly process?: ProcessMetricsOptions | undefined
}

/** The gateway's metrics: a family for each row of the tables, and the counts that take more than a look-up. */
export interface Metrics extends MetricFamilies, CacheMetrics {
  /** Calls for the same name share their counts. */
  network(name: string): NetworkMetrics
  /** Prints nothing more of a network that is not served any more; one that comes again begins at 0. */
  forgetNetwork(name: string): void
  /** Counts a call or a request that a limit refused, by its project and the window of the limit. */
  limited(project: string, window: string): void
  /** Counts a refusal of a project for want of a budget: a limit of the process, by its name in `limits`. */
  budgetRefused(budget: string, project: string): void
  /** Gives these projects labels of their own, until the process ends. */
  listProjects(projects: Iterable<string>): void
  /** Prints the ages of the sources of the moment from now on, too. */
  watchAges(sources: () => readonly AgingSource[]): void
  /** Prints the calls that are open from now on, too. */
  watchOpenCalls(clock: Pick<Clock, 'now'>): void
  /** Prints the bytes that callers make the process hold from now on, too. */
  watchHeldBytes(budget: { readonly held: number; readonly capacity: number }): void
  /** Prints the lines that this log lost from now on, too. */
  watchLog(log: { droppedLines(): number }): void
  /** Prints the state of usage from now on, too. */
  watchUsage(usage: { readonly waitingRows: number; readonly droppedCalls: number }): void
  /** Prints what workers count from now on, too. */
  watchWorkers(watched: WatchedWorkers): void
  /** Every family, in the order of the print. */
  families(): readonly MetricFamily[]
  /** Returns what has changed since it was asked last, for the primary process. */
  changes(): readonly FamilyChange[]
  /** Returns the open calls of each network, those of workers as far as these told last. */
  readOpenCalls(): readonly NetworkOpenCalls[]
  /** Returns the series of a family, those of workers added. */
  read(name: string): readonly ReadSeries[]
  /** Prints everything counted, in the text format of Prometheus. */
  print(): string
}

/** The open calls of a network, of all processes. */
export interface NetworkOpenCalls {
  readonly network: string
  readonly calls: number
  /** Time since the oldest of them began, in seconds. */
  readonly oldestSeconds: number
}

interface AgingSource {
  readonly networks: readonly string[]
  /** Undefined before there was an answer. */
  ageMs(): number | undefined
}

/** Creates the gateway's metrics. */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const registry = createRegistry()
  const families = createMetricFamilies(registry)
  const labels = options.labels ?? createProjectLabels()
  const calls = createCallMetrics(families, labels)
  const watchUpstreams = createUpstreamMetrics(registry, families)
  const cached = createCacheMetrics(registry, families)
  const workers = createWorkerMetrics(registry, families)
  const networks = new Map<string, NetworkMetrics>()
  // These are printed from the beginning on.
  for (const counter of ['droppedConnections', 'logDroppedLines', 'droppedSpans'] as const) families[counter]()
  if (options.process !== undefined) watchProcess(registry, families, options.process)

  function createNetworkMetrics(network: string): NetworkMetrics {
    const byStatus = new Map<number, Counter>()
    const duration = families.answerSeconds(network)
    const sockets = families.webSockets(network)
    let wait: Histogram | undefined
    // One look-up by each name: these are counted with each call.
    const latencyOf = new Map<string, Histogram>()
    const callsOf = new Map<string, Map<CallPurpose, Counter>>()
    return {
      open: createOpenCalls(),
      called: (call) => calls.called(network, call),
      answered(status, ms) {
        let counter = byStatus.get(status)
        if (counter === undefined) byStatus.set(status, (counter = families.answers(network, String(status))))
        counter.add()
        duration.observe(ms / 1_000)
      },
      rejected: (code) => families.rejectedCalls(network, code).add(),
      upstreamFailed: (endpoint, failure) => families.upstreamFailures(network, endpoint, failure).add(),
      asked(endpoint, purpose, cost) {
        let asked = callsOf.get(endpoint)
        if (asked === undefined) callsOf.set(endpoint, (asked = new Map()))
        let counter = asked.get(purpose)
        if (counter === undefined) asked.set(purpose, (counter = families.upstreamCalls(network, endpoint, purpose)))
        counter.add()
        if (cost > 0) families.upstreamUnits(network, endpoint, purpose).add(cost)
      },
      upstreamAnswered(endpoint, ms) {
        let latency = latencyOf.get(endpoint)
        if (latency === undefined) latencyOf.set(endpoint, (latency = families.upstreamSeconds(network, endpoint)))
        latency.observe(ms / 1_000)
      },
      watchUpstreams: (read) => watchUpstreams(network, read),
      verified: (endpoint, method, outcome) => families.verifications(network, endpoint, method, outcome).add(),
      compared: (outcome) => families.consensus(network, outcome).add(),
      connections: (change) => sockets.add(change),
      queued: (ms) => (wait ??= families.queueSeconds(network)).observe(ms / 1_000),
      ...createStreamMetrics(network, families, labels),
    }
  }

  let measureOpen = (): void => {}

  return {
    ...families,
    ...cached,
    network(name) {
      let metrics = networks.get(name)
      if (metrics === undefined) networks.set(name, (metrics = createNetworkMetrics(name)))
      return metrics
    },
    forgetNetwork(name) {
      networks.delete(name)
      calls.forgetCalls(name)
      cached.forgetCached(name)
      watchUpstreams(name, undefined)
      registry.forget('network', name)
      registry.forget('what', `network:${name}`)
      workers.forgetNetwork(name)
    },
    limited: (project, window) => labels.whenKnown(project, (label) => families.limitedCalls(label, window).add()),
    budgetRefused: (budget, project) =>
      labels.whenKnown(project, (label) => families.budgetRefusals(budget, label).add()),
    listProjects: labels.list,
    watchAges(sources) {
      registry.beforePrint(() => {
        for (const { networks: alike, ageMs } of sources()) {
          const age = ageMs()
          if (age !== undefined) families.gasAgeSeconds(alike[0]!).set(age / 1_000)
        }
      })
    },
    watchOpenCalls(clock) {
      measureOpen = () => {
        for (const [name, { open }] of networks) {
          families.openCalls(name).set(open.count)
          families.oldestCallSeconds(name).set(open.oldestAt === undefined ? 0 : (clock.now() - open.oldestAt) / 1_000)
        }
      }
      registry.beforePrint(() => measureOpen())
    },
    watchHeldBytes(budget) {
      registry.beforePrint(() => {
        families.heldBytes().set(budget.held)
        families.maxHeldBytes().set(budget.capacity)
        families.heldRatio().set(budget.held / budget.capacity)
      })
    },
    watchLog: (log) => follow(registry, families.logDroppedLines(), () => log.droppedLines()),
    watchUsage(usage) {
      registry.beforePrint(() => families.usageWaitingRows().set(usage.waitingRows))
      follow(registry, families.usageDroppedCalls(), () => usage.droppedCalls)
    },
    watchWorkers: workers.watch,
    families: registry.families,
    changes: registry.changes,
    readOpenCalls() {
      measureOpen()
      const ages = new Map(
        registry.read('wayleave_oldest_call_seconds').map(({ labels: [name], value }) => [name, value as number]),
      )
      return registry.read('wayleave_open_calls').map(({ labels: [name], value }) => ({
        network: name!,
        calls: value as number,
        oldestSeconds: ages.get(name) ?? 0,
      }))
    },
    read: registry.read,
    print: registry.print,
  }
}
