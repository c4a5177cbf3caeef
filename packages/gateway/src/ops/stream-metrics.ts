import type { Registry } from './registry.ts'

export interface StreamMetrics {
  /** Counts a stream of server-sent events of a network, opened or ended. */
  eventStreams(network: string, change: 1 | -1): void
}

/** Creates the metrics of streams. */
export function createStreamMetrics(registry: Registry): StreamMetrics {
  const open = registry.gauge({
    name: 'wayleave_event_streams',
    help: 'Open streams of server-sent events',
    labels: ['network'],
  })
  return { eventStreams: (network, change) => open(network).add(change) }
}
