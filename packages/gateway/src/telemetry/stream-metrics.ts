import type { ProjectLabels } from './project-label.ts'
import type { Registry } from './registry.ts'

export interface StreamMetrics {
  /** Counts a stream of server-sent events of a network, opened or ended. */
  eventStreams(network: string, change: 1 | -1): void
}

/** The counts of what callers of one network have open. */
export interface NetworkStreamMetrics {
  /** Returns the counts of subscriptions of a kind, the same for all of them. */
  subscriptionsOf(kind: string): SubscriptionCounts
  /** Counts a subscription of a node that is passed on to callers, opened or ended. */
  relays(change: 1 | -1): void
  /** Counts the filters of a project, a long one as several. */
  filters(project: string, change: number): void
  /** Counts a WebSocket connection that the gateway closed, by the code that it gave. */
  closed(code: number): void
}

/** Counts the subscriptions of a kind. */
export interface SubscriptionCounts {
  opened(): void
  /** Counts one that is over, with the reason where that is no wish of its caller. */
  ended(reason: string | undefined): void
}

/** Creates the metrics of streams. */
export function createStreamMetrics(
  registry: Registry,
  labels: ProjectLabels,
): StreamMetrics & { readonly streamsOf: (network: string) => NetworkStreamMetrics } {
  const open = registry.gauge({
    name: 'wayleave_event_streams',
    help: 'Open streams of server-sent events',
    labels: ['network'],
  })
  const subscriptions = registry.gauge({
    name: 'wayleave_subscriptions',
    help: 'Open subscriptions, over WebSocket and of server-sent events, by kind, such as newHeads or logs; other: a kind that only nodes know',
    labels: ['network', 'kind'],
  })
  const ends = registry.counter({
    name: 'wayleave_subscription_ends_total',
    help: 'Subscriptions that ended without a wish of their caller, by kind and reason: gap, where events were lost, else the code of the RpcError. A WebSocket is closed with 1013 then',
    labels: ['network', 'kind', 'reason'],
  })
  const relays = registry.gauge({
    name: 'wayleave_stream_relays',
    help: 'Subscriptions of nodes that are passed on to all callers who want the same, such as newPendingTransactions',
    labels: ['network'],
  })
  const filters = registry.gauge({
    name: 'wayleave_filters',
    help: 'Filters of callers by project, a long one as one for each KiB; one that is asked for through several processes counts in each',
    labels: ['network', 'project'],
  })
  const closes = registry.counter({
    name: 'wayleave_websocket_closes_total',
    help: 'WebSocket connections that the gateway closed, by the code that was given (docs/errors.md): with 1013 events were lost, it was read too slowly, or too many bytes were held',
    labels: ['network', 'code'],
  })
  return {
    eventStreams: (network, change) => open(network).add(change),
    streamsOf(network) {
      const kinds = new Map<string, SubscriptionCounts>()

      function countsOf(kind: string): SubscriptionCounts {
        // The series itself: that of a network which has gone is not printed, and none in its place begins below 0.
        const series = subscriptions(network, kind)
        return {
          opened: () => series.add(1),
          ended(reason) {
            series.add(-1)
            if (reason !== undefined) ends(network, kind, reason).add()
          },
        }
      }

      return {
        subscriptionsOf(kind) {
          let counts = kinds.get(kind)
          if (counts === undefined) kinds.set(kind, (counts = countsOf(kind)))
          return counts
        },
        relays: (change) => relays(network).add(change),
        filters: (project, change) => labels.whenKnown(project, (label) => filters(network, label).add(change)),
        closed: (code) => closes(network, String(code)).add(),
      }
    },
  }
}
