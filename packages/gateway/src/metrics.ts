import { Counter, Gauge, Registry } from 'prom-client'

/** What one network counts. */
export interface NetworkMetrics {
  answered(status: number): void
  /** Hears of each call that no upstream answered, also in a batch, with the code of its `RpcError`. */
  rejected(code: string): void
  upstreamFailed(endpoint: string, code: string): void
  connections(change: 1 | -1): void
}

export interface Metrics {
  /** Calls for the same name share their counts. */
  network(name: string): NetworkMetrics
  /** Hears of each request that was refused before it became a call, with its HTTP status. */
  refused(status: number): void
  /** Hears of each connection that was dropped because there were too many. */
  dropped(): void
  readonly contentType: string
  /** The Prometheus text of everything counted. */
  print(): Promise<string>
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
    contentType: registry.contentType,
    async print() {
      answers.reset()
      rejections.reset()
      refusals.reset()
      for (const [status, count] of refused) refusals.inc({ status: String(status) }, count)
      for (const [network, counts] of networks) {
        sockets.set({ network }, counts.open)
        for (const [status, count] of counts.byStatus) answers.inc({ network, status: String(status) }, count)
        for (const [code, count] of counts.byCode) rejections.inc({ network, code }, count)
      }
      return registry.metrics()
    },
  }
}

class NetworkCounts implements NetworkMetrics {
  readonly byStatus = new Map<number, number>()
  readonly byCode = new Map<string, number>()
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

  connections(change: 1 | -1): void {
    this.open += change
  }
}

function increment<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
