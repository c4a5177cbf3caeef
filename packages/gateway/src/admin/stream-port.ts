import type { StreamPort, StreamRecord } from '@wayleave/admin-api'
import type { Metrics } from '../telemetry/metrics.ts'

export interface StreamPortOptions {
  readonly metrics: Pick<Metrics, 'read'>
  /** Has workers tell what they have counted. Undefined: there are none. */
  readonly refresh: () => Promise<void> | undefined
  /** The networks of the moment. */
  readonly networks: () => readonly string[]
}

/** Tells operators what callers have open, as the metrics count it. */
export function streamPort({ metrics, refresh, networks }: StreamPortOptions): StreamPort {
  /** Reads a family by its first label, the network: its other label, and the values that are not 0. */
  function byNetwork(family: string): (network: string) => readonly (readonly [label: string, value: number])[] {
    const series = metrics.read(family)
    return (network) =>
      series.flatMap(({ labels: [first, second = ''], value }) =>
        first === network && typeof value === 'number' && value > 0 ? [[second, value] as const] : [],
      )
  }

  return {
    async list() {
      await refresh()
      const [sockets, eventStreams, subscriptions, filters, relays] = families.map(byNetwork)
      const countOf = (found: readonly (readonly [string, number])[]): number => found[0]?.[1] ?? 0
      return networks().map((network): StreamRecord => ({
        network,
        sockets: countOf(sockets!(network)),
        eventStreams: countOf(eventStreams!(network)),
        kinds: subscriptions!(network).map(([kind, subscribers]) => ({ kind, subscribers })),
        filters: filters!(network).map(([project, count]) => ({ project, count })),
        relays: countOf(relays!(network)),
      }))
    },
  }
}

const families = [
  'wayleave_websocket_connections',
  'wayleave_event_streams',
  'wayleave_subscriptions',
  'wayleave_filters',
  'wayleave_stream_relays',
]
