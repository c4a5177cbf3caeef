import { Counter, Gauge, Registry } from 'prom-client'

/** What became of an answer that was verified. */
export type VerificationOutcome = 'proven' | 'consistent' | 'unverifiable' | 'refused'

/** What one network counts. */
export interface NetworkMetrics {
  answered(status: number): void
  /** Hears of each call that no upstream answered, also in a batch, with the code of its `RpcError`. */
  rejected(code: string): void
  upstreamFailed(endpoint: string, code: string): void
  /** Hears of each answer of an endpoint that was verified, and what became of it. */
  verified(endpoint: string, method: string, outcome: VerificationOutcome): void
  connections(change: 1 | -1): void
}

export interface Metrics {
  /** Calls for the same name share their counts. */
  network(name: string): NetworkMetrics
  /** Hears of each request that was refused before it became a call, with its HTTP status. */
  refused(status: number): void
  /** Hears of each connection that was dropped because there were too many. */
  dropped(): void
  /** Hears of each answer of the gas API: the slug of its network, where it names one, its endpoint and HTTP status. */
  gasAnswered(network: string | undefined, endpoint: string, status: number): void
  /** Hears of each answer of the IPFS API: what was asked, such as `add` or `pin/ls`, and its HTTP status. */
  ipfsAnswered(command: string, status: number): void
  /** From now on tells the ages of these, too. */
  watchAges(sources: readonly AgingSource[]): void
  readonly contentType: string
  /** The Prometheus text of everything counted. */
  print(): Promise<string>
}

/** What {@link GasSource} tells of itself. */
interface AgingSource {
  readonly networks: readonly string[]
  ageMs(): number | undefined
}

/** Counters are plain numbers on the way of a call, and become labelled metrics only when they are read. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const answers = new Counter({
    name: 'wayleave_answers_total',
    help: 'HTTP answers and WebSocket replies by status (200 for a reply)',
    labelNames: ['network', 'status'],
    registers: [registry],
  })
  const failures = new Counter({
    name: 'wayleave_upstream_failures_total',
    help: 'Calls that an upstream endpoint did not answer',
    labelNames: ['network', 'endpoint', 'code'],
    registers: [registry],
  })
  const verifications = new Counter({
    name: 'wayleave_verifications_total',
    help: 'Answers of an upstream endpoint that were verified, by method and outcome',
    labelNames: ['network', 'endpoint', 'method', 'outcome'],
    registers: [registry],
  })
  const sockets = new Gauge({
    name: 'wayleave_websocket_connections',
    help: 'Open WebSocket connections',
    labelNames: ['network'],
    registers: [registry],
  })
  const rejections = new Counter({
    name: 'wayleave_rejected_calls_total',
    help: 'Calls, also those of batches, that no upstream answered, by the code of the error',
    labelNames: ['network', 'code'],
    registers: [registry],
  })
  const refusals = new Counter({
    name: 'wayleave_refusals_total',
    help: 'Requests that were refused before they became calls, by HTTP status',
    labelNames: ['status'],
    registers: [registry],
  })
  const drops = new Counter({
    name: 'wayleave_dropped_connections_total',
    help: 'Connections that were dropped because there were too many',
    registers: [registry],
  })
  const gasAnswers = new Counter({
    name: 'wayleave_gas_answers_total',
    help: 'Answers of the gas API by endpoint and HTTP status; network is empty where the path names none',
    labelNames: ['network', 'endpoint', 'status'],
    registers: [registry],
  })
  const ipfsAnswers = new Counter({
    name: 'wayleave_ipfs_answers_total',
    help: 'Answers of the IPFS API by command and HTTP status',
    labelNames: ['command', 'status'],
    registers: [registry],
  })
  const gasAges = new Gauge({
    name: 'wayleave_gas_age_seconds',
    help: 'How old the gas fees of a network were when somebody asked for them last',
    labelNames: ['network'],
    registers: [registry],
  })
  let aging: readonly AgingSource[] = []
  /** By the three labels; none of them holds a space. */
  const gasAnswered = new Map<string, number>()
  const refused = new Map<number, number>()
  const networks = new Map<string, NetworkCounts>()

  return {
    network(name) {
      let counts = networks.get(name)
      if (counts === undefined)
        networks.set(
          name,
          (counts = new NetworkCounts((endpoint, code) => failures.inc({ network: name, endpoint, code }))),
        )
      return counts
    },
    refused: (status) => increment(refused, status),
    dropped: () => drops.inc(),
    gasAnswered: (network = '', endpoint, status) => increment(gasAnswered, `${network} ${endpoint} ${status}`),
    ipfsAnswered: (command, status) => ipfsAnswers.inc({ command, status: String(status) }),
    watchAges: (sources) => void (aging = sources),
    contentType: registry.contentType,
    async print() {
      answers.reset()
      rejections.reset()
      verifications.reset()
      refusals.reset()
      gasAnswers.reset()
      for (const [labels, count] of gasAnswered) {
        const [network, endpoint, status] = labels.split(' ') as [string, string, string]
        gasAnswers.inc({ network, endpoint, status }, count)
      }
      for (const { networks: alike, ageMs } of aging) {
        const age = ageMs()
        if (age !== undefined) gasAges.set({ network: alike[0]! }, age / 1_000)
      }
      for (const [status, count] of refused) refusals.inc({ status: String(status) }, count)
      for (const [network, counts] of networks) {
        sockets.set({ network }, counts.open)
        for (const [status, count] of counts.byStatus) answers.inc({ network, status: String(status) }, count)
        for (const [code, count] of counts.byCode) rejections.inc({ network, code }, count)
        for (const [labels, count] of counts.byVerification) {
          const [endpoint, method, outcome] = labels.split(' ') as [string, string, string]
          verifications.inc({ network, endpoint, method, outcome }, count)
        }
      }
      return registry.metrics()
    },
  }
}

class NetworkCounts implements NetworkMetrics {
  readonly byStatus = new Map<number, number>()
  readonly byCode = new Map<string, number>()
  /** By endpoint, method and outcome; none of them holds a space. */
  readonly byVerification = new Map<string, number>()
  readonly upstreamFailed: (endpoint: string, code: string) => void
  open = 0

  constructor(upstreamFailed: (endpoint: string, code: string) => void) {
    this.upstreamFailed = upstreamFailed
  }

  answered(status: number): void {
    increment(this.byStatus, status)
  }

  rejected(code: string): void {
    increment(this.byCode, code)
  }

  verified(endpoint: string, method: string, outcome: VerificationOutcome): void {
    increment(this.byVerification, `${endpoint} ${method} ${outcome}`)
  }

  connections(change: 1 | -1): void {
    this.open += change
  }
}

function increment<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
