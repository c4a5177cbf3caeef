import type { DenialReason } from '@wayleave/auth'
import type { ConsensusOutcome } from '@wayleave/upstream'
import { type AdmissionMetrics, createAdmissionMetrics } from './admission-metrics.ts'
import { answerSeconds, type CountedCall, createCallMetrics } from './call-metrics.ts'
import type { CallPurpose } from './call-purpose.ts'
import { createMeteringMetrics, type MeteringMetrics } from './metering-metrics.ts'
import { createProcessMetrics, type ProcessMetricsOptions } from './process-metrics.ts'
import { createProjectLabels, type ProjectLabels } from './project-label.ts'
import { type Counter, createRegistry, type Histogram, type MetricFamily, type ReadSeries } from './registry.ts'
import { type CacheMetrics, createCacheMetrics } from './cache-metrics.ts'
import { createLogMetrics, type LogMetrics } from './log-metrics.ts'
import { createStreamMetrics, type NetworkStreamMetrics, type StreamMetrics } from './stream-metrics.ts'
import type { FamilyChange } from './series-mirror.ts'
import { createTraceMetrics, type TraceMetrics } from './trace-metrics.ts'
import { createUpstreamMetrics, type UpstreamGauges } from './upstream-metrics.ts'
import { createWorkerMetrics, type WatchedWorkers } from './worker-metrics.ts'

/** The outcome of an answer that was verified. */
export type VerificationOutcome = 'proven' | 'consistent' | 'unverifiable' | 'refused'

/** The counts of one network. */
export interface NetworkMetrics extends NetworkStreamMetrics {
  /** Counts a call, also one of a batch. */
  called(call: CountedCall): void
  /** Counts an HTTP answer or a WebSocket reply, and its time from the whole request on, in ms. */
  answered(status: number, ms: number): void
  /** Counts a call that no upstream answered, also in a batch, by the code of its `RpcError`. */
  rejected(code: string): void
  /** Counts an attempt that failed, by its kind. */
  upstreamFailed(endpoint: string, failure: string): void
  /** Counts a call to an upstream, by what it is for, and the units that its provider counts; 0 where it has no budget. */
  asked(endpoint: string, purpose: CallPurpose, units: number): void
  /** Counts an answer of an upstream to a call of the pool, and the time that it took, in ms. */
  upstreamAnswered(endpoint: string, ms: number): void
  /** Prints the states of these upstreams from now on, in the place of those before. */
  watchUpstreams(read: () => readonly UpstreamGauges[]): void
  /** Counts an answer of an endpoint that was verified. */
  verified(endpoint: string, method: string, outcome: VerificationOutcome): void
  /** Counts a call that several upstreams were asked, by its outcome. */
  compared(outcome: ConsensusOutcome): void
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

export interface Metrics
  extends AdmissionMetrics, MeteringMetrics, StreamMetrics, CacheMetrics, LogMetrics, TraceMetrics {
  /** Calls for the same name share their counts. */
  network(name: string): NetworkMetrics
  /** Prints nothing more of a network that is not served any more; one that comes again begins at 0. */
  forgetNetwork(name: string): void
  /** Counts a request that was refused before it became a call, by its HTTP status. */
  refused(status: number): void
  /** Counts a request or a call that the settings of its project do not allow, by the list that it did not pass. */
  denied(reason: DenialReason): void
  /** Counts a connection that was dropped because there were too many. */
  dropped(): void
  /** Gives these projects labels of their own, until the process ends. */
  listProjects(projects: Iterable<string>): void
  /** Tells until when the certificate of the listeners is valid, in ms since 1970. */
  certificateUntil(date: number): void
  /** Counts an answer of the gas API: the slug of its network, where the path names one, its endpoint and HTTP status. */
  gasAnswered(network: string | undefined, endpoint: string, status: number): void
  /** Counts an answer of the IPFS API: its command, such as `add` or `pin/ls`, and its HTTP status. */
  ipfsAnswered(command: string, status: number): void
  /** Tells whether a part, such as `store` or `network:mainnet`, is degraded; undefined: not known. */
  degraded(what: string, is: boolean | undefined): void
  /** Prints the ages of the sources of the moment from now on, too. */
  watchAges(sources: () => readonly AgingSource[]): void
  /** Every family, in the order of the print. */
  families(): readonly MetricFamily[]
  /** Prints what workers count from now on, too. */
  watchWorkers(watched: WatchedWorkers): void
  /** Returns what has changed since it was asked last, for the primary process. */
  changes(): readonly FamilyChange[]
  /** Returns the series of a family, those of workers added. */
  read(name: string): readonly ReadSeries[]
  /** Prints everything counted, in the text format of Prometheus. */
  print(): string
}

interface AgingSource {
  readonly networks: readonly string[]
  /** Undefined before there was an answer. */
  ageMs(): number | undefined
}

/** Upper bounds of the time in the queue, in seconds. */
const queueSeconds = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5]

/** Creates the gateway's metrics. */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const registry = createRegistry()
  const labels = options.labels ?? createProjectLabels()
  const calls = createCallMetrics(registry, labels)
  const answers = registry.counter({
    name: 'wayleave_answers_total',
    help: 'Answers to admitted requests and WebSocket replies by HTTP status, also a body that is no JSON (400); a reply to a call that failed has the status of its failure',
    labels: ['network', 'status'],
  })
  const durations = registry.histogram({
    name: 'wayleave_answer_seconds',
    help: 'Time from a whole request to the beginning of its answer',
    labels: ['network'],
    buckets: answerSeconds,
  })
  const waits = registry.histogram({
    name: 'wayleave_queue_seconds',
    help: 'Time for which calls waited, if they did, for an upstream that had room for them',
    labels: ['network'],
    buckets: queueSeconds,
  })
  const failures = registry.counter({
    name: 'wayleave_upstream_failures_total',
    help: 'Calls that an upstream did not answer, by the kind of its failure: timeout, unreachable, internal, overloaded, false_answer, rate_limited, quota, unauthorized, method_missing, lagging, pruned or range_too_large',
    labels: ['network', 'endpoint', 'failure'],
  })
  const watchUpstreams = createUpstreamMetrics(registry)
  const asks = registry.counter({
    name: 'wayleave_upstream_calls_total',
    help: 'Calls to an upstream, by what they are for: caller; hedge, beside an attempt that takes long; consensus, to compare answers; stream, for subscribers; and fee, head and probe, the own ones of the gateway',
    labels: ['network', 'endpoint', 'purpose'],
  })
  const units = registry.counter({
    name: 'wayleave_upstream_units_total',
    help: 'Units of the budget of an upstream that calls have cost, by what they were for',
    labels: ['network', 'endpoint', 'purpose'],
  })
  const latencies = registry.histogram({
    name: 'wayleave_upstream_seconds',
    help: 'Time from a call to an upstream to the beginning of its answer; failures are not in it',
    labels: ['network', 'endpoint'],
    buckets: answerSeconds,
  })
  const verifications = registry.counter({
    name: 'wayleave_verifications_total',
    help: 'Answers of an upstream endpoint that were verified, by method and outcome: proven, consistent, unverifiable or refused',
    labels: ['network', 'endpoint', 'method', 'outcome'],
  })
  const comparisons = registry.counter({
    name: 'wayleave_consensus_total',
    help: 'Calls whose answers of several upstreams were compared, by outcome: agreed; verified, head or disputed, by what decided a dispute; too_few; failed',
    labels: ['network', 'outcome'],
  })
  const sockets = registry.gauge({
    name: 'wayleave_websocket_connections',
    help: 'Open WebSocket connections',
    labels: ['network'],
  })
  const rejections = registry.counter({
    name: 'wayleave_rejected_calls_total',
    help: 'Calls, also those of batches, that no upstream answered, by the code of the RpcError; denied: the settings of their project do not allow them, or a limit',
    labels: ['network', 'code'],
  })
  const refusals = registry.counter({
    name: 'wayleave_refusals_total',
    help: 'Requests of all APIs that were refused before they became calls, by HTTP status: for their path, key, secret or method, their body, or limits.maxInFlight; 500 where the gateway failed',
    labels: ['status'],
  })
  const denials = registry.counter({
    name: 'wayleave_denials_total',
    help: 'Requests, connections and calls that the settings of their project do not allow, by the list that they did not pass: network, source, origin, user_agent, method or address',
    labels: ['reason'],
  })
  const drops = registry.counter({
    name: 'wayleave_dropped_connections_total',
    help: 'Connections that were dropped because there were more than limits.maxConnections',
  })
  const gasAnswers = registry.counter({
    name: 'wayleave_gas_answers_total',
    help: 'Answers of the gas API by endpoint and HTTP status, without refusals such as 401; network is empty where the path names none',
    labels: ['network', 'endpoint', 'status'],
  })
  const ipfsAnswers = registry.counter({
    name: 'wayleave_ipfs_answers_total',
    help: 'Answers of the IPFS API by command and HTTP status, also refusals such as 401',
    labels: ['command', 'status'],
  })
  const gasAges = registry.gauge({
    name: 'wayleave_gas_age_seconds',
    help: 'How old the gas fees of a network were when somebody asked for them last',
    labels: ['network'],
    across: 'max',
  })
  const degradations = registry.gauge({
    name: 'wayleave_degraded',
    help: '1 where a part of the gateway does not work as configured (store, accounts, redis, cache, limits, ipfs, usage, workers, network:<slug>), NaN where nobody looked for a minute. A scrape asks no node: for networks and IPFS it is what the last /readyz or /status found',
    labels: ['what'],
    across: 'max',
  })
  const certificateEnds = registry.gauge({
    name: 'wayleave_certificate_not_after_seconds',
    help: 'When the certificate of the listeners ends, in seconds since 1970; absent without listen.tls',
    across: 'min',
  })
  const cached = createCacheMetrics(registry)
  const workers = createWorkerMetrics(registry)
  const { streamsOf, ...streams } = createStreamMetrics(registry, labels)
  const dropped = drops()
  const networks = new Map<string, NetworkMetrics>()

  function createNetworkMetrics(network: string): NetworkMetrics {
    const byStatus = new Map<number, Counter>()
    const duration = durations(network)
    const open = sockets(network)
    let wait: ReturnType<typeof waits> | undefined
    // One look-up by each name: these are counted with each call.
    const latencyOf = new Map<string, Histogram>()
    const callsOf = new Map<string, Map<CallPurpose, Counter>>()
    return {
      called: (call) => calls.called(network, call),
      answered(status, ms) {
        let counter = byStatus.get(status)
        if (counter === undefined) byStatus.set(status, (counter = answers(network, String(status))))
        counter.add()
        duration.observe(ms / 1_000)
      },
      rejected: (code) => rejections(network, code).add(),
      upstreamFailed: (endpoint, failure) => failures(network, endpoint, failure).add(),
      asked(endpoint, purpose, cost) {
        let asked = callsOf.get(endpoint)
        if (asked === undefined) callsOf.set(endpoint, (asked = new Map()))
        let counter = asked.get(purpose)
        if (counter === undefined) asked.set(purpose, (counter = asks(network, endpoint, purpose)))
        counter.add()
        if (cost > 0) units(network, endpoint, purpose).add(cost)
      },
      upstreamAnswered(endpoint, ms) {
        let latency = latencyOf.get(endpoint)
        if (latency === undefined) latencyOf.set(endpoint, (latency = latencies(network, endpoint)))
        latency.observe(ms / 1_000)
      },
      watchUpstreams: (read) => watchUpstreams(network, read),
      verified: (endpoint, method, outcome) => verifications(network, endpoint, method, outcome).add(),
      compared: (outcome) => comparisons(network, outcome).add(),
      connections: (change) => open.add(change),
      queued: (ms) => (wait ??= waits(network)).observe(ms / 1_000),
      ...streamsOf(network),
    }
  }

  if (options.process !== undefined) createProcessMetrics(registry, options.process)
  return {
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
    refused: (status) => refusals(String(status)).add(),
    denied: (reason) => denials(reason).add(),
    ...createAdmissionMetrics(registry),
    ...createMeteringMetrics(registry, labels),
    ...streams,
    ...cached,
    ...createLogMetrics(registry),
    ...createTraceMetrics(registry),
    dropped: () => dropped.add(),
    listProjects: labels.list,
    certificateUntil: (date) => certificateEnds().set(Math.floor(date / 1_000)),
    gasAnswered: (network = '', endpoint, status) => gasAnswers(network, endpoint, String(status)).add(),
    ipfsAnswered: (command, status) => ipfsAnswers(command, String(status)).add(),
    degraded: (what, is) => degradations(what).set(is === undefined ? Number.NaN : Number(is)),
    watchAges(sources) {
      registry.beforePrint(() => {
        for (const { networks: alike, ageMs } of sources()) {
          const age = ageMs()
          if (age !== undefined) gasAges(alike[0]!).set(age / 1_000)
        }
      })
    },
    families: registry.families,
    watchWorkers: workers.watch,
    changes: registry.changes,
    read: registry.read,
    print: registry.print,
  }
}
