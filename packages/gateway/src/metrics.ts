import { Counter, Gauge, Registry } from 'prom-client'

/** What one network counts. */
export interface NetworkMetrics {
  answered(status: number): void
  upstreamFailed(endpoint: string, code: string): void
  connections(change: 1 | -1): void
}

export interface Metrics {
  /** Calls for the same name share their counts. */
  network(name: string): NetworkMetrics
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
    contentType: registry.contentType,
    async print() {
      answers.reset()
      for (const [network, counts] of networks) {
        sockets.set({ network }, counts.open)
        for (const [status, count] of counts.byStatus) answers.inc({ network, status: String(status) }, count)
      }
      return registry.metrics()
    },
  }
}

class NetworkCounts implements NetworkMetrics {
  readonly byStatus = new Map<number, number>()
  readonly upstreamFailed: (endpoint: string, code: string) => void
  open = 0

  constructor(upstreamFailed: (endpoint: string, code: string) => void) {
    this.upstreamFailed = upstreamFailed
  }

  answered(status: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1)
  }

  connections(change: 1 | -1): void {
    this.open += change
  }
}
