import type { Position, RawJson, RpcError, RpcGap, RpcRequest, RpcSink, RpcSubscription } from '@wayleave/jsonrpc-core'
import type { NetworkStreamMetrics, SubscriptionCounts } from '../../telemetry/stream-metrics.ts'

/** Counts a subscription while it is open, and why it ended. */
export function countSubscription(
  subscription: RpcSubscription,
  request: RpcRequest,
  metrics: Pick<NetworkStreamMetrics, 'subscriptionsOf'>,
): RpcSubscription {
  return {
    ...subscription,
    open(sink) {
      const counted = new CountedSink(sink, metrics.subscriptionsOf(subscriptionKind(request)))
      const leave = subscription.open(counted)
      return () => {
        counted.over(undefined)
        leave()
      }
    },
  }
}

/** A class, as each subscription has one and each event passes it. */
class CountedSink implements RpcSink {
  readonly #sink: RpcSink
  readonly #counts: SubscriptionCounts
  #isOver = false

  constructor(sink: RpcSink, counts: SubscriptionCounts) {
    this.#sink = sink
    this.#counts = counts
    counts.opened()
  }

  over(reason: string | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#counts.ended(reason)
  }

  event(method: string, result: RawJson): boolean {
    return this.#sink.event(method, result)
  }

  drained(): Promise<void> | undefined {
    return this.#sink.drained?.()
  }

  reached(at: Position): void {
    this.#sink.reached?.(at)
  }

  gap(gap: RpcGap): void {
    // Its session closes.
    this.over('gap')
    this.#sink.gap(gap)
  }

  end(why?: RpcError): void {
    this.over(why?.code)
    this.#sink.end(why)
  }
}

/** Kinds of `eth_subscribe` that have a name of their own in metrics: callers may ask for any. */
const known = new Set<unknown>([
  'newHeads',
  'logs',
  'transactionReceipts',
  'newPendingTransactions',
  'syncing',
  'newFlashblocks',
  'newFlashblockTransactions',
  'pendingLogs',
])

/** Names the kind of a subscription: the first param of `eth_subscribe`; of `starknet_subscribeNewHeads` what follows `subscribe`. */
export function subscriptionKind({ method, params }: RpcRequest): string {
  const named = /^starknet_subscribe([A-Z])(\w*)$/.exec(method)
  if (named !== null) return named[1]!.toLowerCase() + named[2]!
  const [kind] = (params?.value() ?? []) as readonly unknown[]
  return known.has(kind) ? (kind as string) : 'other'
}
