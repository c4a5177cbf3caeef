import type { DenialReason } from '@wayleave/auth'
import type { ConsensusOutcome } from '@wayleave/upstream'
import { type AdmissionMetrics, createAdmissionMetrics } from './admission-metrics.ts'
import type { CallPurpose } from './call-purpose.ts'
import { createMeteringMetrics, type MeteringMetrics } from './metering-metrics.ts'
import { createProjectLabel } from './project-label.ts'
import { type Counter, createRegistry, type Histogram } from './registry.ts'
import { type CacheMetrics, createCacheMetrics } from './cache-metrics.ts'
import { createLogMetrics, type LogMetrics } from './log-metrics.ts'
import { createStreamMetrics, type StreamMetrics } from './stream-metrics.ts'
import { createTraceMetrics, type TraceMetrics } from './trace-metrics.ts'
import { createUpstreamMetrics, type UpstreamGauges } from './upstream-metrics.ts'

/** The outcome of an answer that was verified. */
export type VerificationOutcome = 'proven' | 'consistent' | 'unverifiable' | 'refused'

/** The counts of one network. */
export interface NetworkMetrics {
  /** Counts an HTTP answer or a WebSocket reply, and its time from the whole request on, in ms. */
  answered(status: number, ms: number): void
  /** Counts a call that no upstream answered, also in a batch, by the code of its `RpcError`. */
  rejected(code: string): void
  /** Counts an attempt that failed, by its kind. */
  upstreamFailed(endpoint: string, failure: string): void
  /** Counts a call to an upstream, by what it is for. */
  asked(endpoint: string, purpose: CallPurpose): void
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
  /** Counts what a project was refused for want of a budget: a limit of the process, by its name in `limits`. */
  budgetRefused(budget: string, project: string): void
  /** Counts an answer of the gas API: the slug of its network, where the path names one, its endpoint and HTTP status. */
  gasAnswered(network: string | undefined, endpoint: string, status: number): void
  /** Counts an answer of the IPFS API: its command, such as `add` or `pin/ls`, and its HTTP status. */
  ipfsAnswered(command: string, status: number): void
  /** Tells whether a part, such as `store` or `network:mainnet`, is degraded; undefined: not known. */
  degraded(what: string, is: boolean | undefined): void
  /** Prints the ages of the sources of the moment from now on, too. */
  watchAges(sources: () => readonly AgingSource[]): void
  /** Prints everything counted, in the text format of Prometheus. */
  print(): string
}

interface AgingSource {
  readonly networks: readonly string[]
  /** Undefined before there was an answer. */
  ageMs(): number | undefined
}

/** Upper bounds of the time to an answer, in seconds: from one in memory, or of a node beside the gateway, to the longest wait. */
const answerSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Upper bounds of the time in the queue, in seconds. */
const queueSeconds = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5]

/** Creates the gateway's metrics. */
export function createMetrics(): Metrics {
  const registry = createRegistry()
  const answers = registry.counter({
    name: 'wayleave_answers_total',
    help: 'HTTP answers and WebSocket replies by HTTP status; a reply to a call that failed has the status of its failure',
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
    help: 'Calls that an upstream did not answer, by the kind of its failure',
    labels: ['network', 'endpoint', 'failure'],
  })
  const watchUpstreams = createUpstreamMetrics(registry)
  const asks = registry.counter({
    name: 'wayleave_upstream_calls_total',
    help: 'Calls to an upstream, by what they are for',
    labels: ['network', 'endpoint', 'purpose'],
  })
  const latencies = registry.histogram({
    name: 'wayleave_upstream_seconds',
    help: 'Time from a call to an upstream to the beginning of its answer',
    labels: ['network', 'endpoint'],
    buckets: answerSeconds,
  })
  const verifications = registry.counter({
    name: 'wayleave_verifications_total',
    help: 'Answers of an upstream endpoint that were verified, by method and outcome',
    labels: ['network', 'endpoint', 'method', 'outcome'],
  })
  const comparisons = registry.counter({
    name: 'wayleave_consensus_total',
    help: 'Calls whose answers of several upstreams were compared, by outcome',
    labels: ['network', 'outcome'],
  })
  const sockets = registry.gauge({
    name: 'wayleave_websocket_connections',
    help: 'Open WebSocket connections',
    labels: ['network'],
  })
  const rejections = registry.counter({
    name: 'wayleave_rejected_calls_total',
    help: 'Calls, also those of batches, that no upstream answered, by the code of the error',
    labels: ['network', 'code'],
  })
  const refusals = registry.counter({
    name: 'wayleave_refusals_total',
    help: 'Requests that were refused before they became calls, by HTTP status',
    labels: ['status'],
  })
  const denials = registry.counter({
    name: 'wayleave_denials_total',
    help: 'Requests, connections and calls that the settings of their project do not allow, by the list that they did not pass',
    labels: ['reason'],
  })
  const drops = registry.counter({
    name: 'wayleave_dropped_connections_total',
    help: 'Connections that were dropped because there were too many',
  })
  const budgetRefusals = registry.counter({
    name: 'wayleave_budget_refusals_total',
    help: 'What projects were refused for want of a budget, by the name of the limit; beyond 1,000 projects, project is other',
    labels: ['budget', 'project'],
  })
  const refusedLabel = createProjectLabel()
  const gasAnswers = registry.counter({
    name: 'wayleave_gas_answers_total',
    help: 'Answers of the gas API by endpoint and HTTP status; network is empty where the path names none',
    labels: ['network', 'endpoint', 'status'],
  })
  const ipfsAnswers = registry.counter({
    name: 'wayleave_ipfs_answers_total',
    help: 'Answers of the IPFS API by command and HTTP status',
    labels: ['command', 'status'],
  })
  const gasAges = registry.gauge({
    name: 'wayleave_gas_age_seconds',
    help: 'How old the gas fees of a network were when somebody asked for them last',
    labels: ['network'],
  })
  const degradations = registry.gauge({
    name: 'wayleave_degraded',
    help: '1 where a part of the gateway does not work as configured (store, accounts, redis, cache, limits, ipfs, network:<slug>), NaN where nobody looked for a minute',
    labels: ['what'],
  })
  const cached = createCacheMetrics(registry)
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
      answered(status, ms) {
        let counter = byStatus.get(status)
        if (counter === undefined) byStatus.set(status, (counter = answers(network, String(status))))
        counter.add()
        duration.observe(ms / 1_000)
      },
      rejected: (code) => rejections(network, code).add(),
      upstreamFailed: (endpoint, failure) => failures(network, endpoint, failure).add(),
      asked(endpoint, purpose) {
        let calls = callsOf.get(endpoint)
        if (calls === undefined) callsOf.set(endpoint, (calls = new Map()))
        let counter = calls.get(purpose)
        if (counter === undefined) calls.set(purpose, (counter = asks(network, endpoint, purpose)))
        counter.add()
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
    }
  }

  return {
    network(name) {
      let metrics = networks.get(name)
      if (metrics === undefined) networks.set(name, (metrics = createNetworkMetrics(name)))
      return metrics
    },
    forgetNetwork(name) {
      networks.delete(name)
      cached.forgetCached(name)
      watchUpstreams(name, undefined)
      registry.forget('network', name)
      registry.forget('what', `network:${name}`)
    },
    refused: (status) => refusals(String(status)).add(),
    denied: (reason) => denials(reason).add(),
    ...createAdmissionMetrics(registry),
    ...createMeteringMetrics(registry),
    ...createStreamMetrics(registry),
    ...cached,
    ...createLogMetrics(registry),
    ...createTraceMetrics(registry),
    dropped: () => dropped.add(),
    budgetRefused: (budget, project) => budgetRefusals(budget, refusedLabel(project)).add(),
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
    print: () => registry.print(),
  }
}
