import type { ProjectLabels } from './project-label.ts'
import type { MetricFamilies } from './families.ts'

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

/** Creates the counts of the streams of one network. */
export function createStreamMetrics(
  network: string,
  families: MetricFamilies,
  labels: ProjectLabels,
): NetworkStreamMetrics {
  const kinds = new Map<string, SubscriptionCounts>()

  function countsOf(kind: string): SubscriptionCounts {
    // The series itself: that of a network which has gone is not printed, and none in its place begins below 0.
    const series = families.subscriptions(network, kind)
    return {
      opened: () => series.add(1),
      ended(reason) {
        series.add(-1)
        if (reason !== undefined) families.subscriptionEnds(network, kind, reason).add()
      },
    }
  }

  return {
    subscriptionsOf(kind) {
      let counts = kinds.get(kind)
      if (counts === undefined) kinds.set(kind, (counts = countsOf(kind)))
      return counts
    },
    relays: (change) => families.streamRelays(network).add(change),
    filters: (project, change) => labels.whenKnown(project, (label) => families.filters(network, label).add(change)),
    closed: (code) => families.webSocketCloses(network, String(code)).add(),
  }
}
