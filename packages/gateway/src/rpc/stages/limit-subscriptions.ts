import type {
  RpcContext,
  RpcHandler,
  RpcMiddleware,
  RpcRequest,
  RpcResponse,
  RpcSession,
  RpcSubscription,
} from '@wayleave/jsonrpc-core'
import type { NetworkStreamMetrics } from '../../telemetry/stream-metrics.ts'
import { countSubscription } from './count-subscription.ts'

export interface LimitSubscriptionsOptions {
  /** Most subscriptions of a connection. Read as each one is asked for. */
  readonly maxSubscriptions: number
  /** Counts those that are open. Default: nobody does. */
  readonly metrics?: Pick<NetworkStreamMetrics, 'subscriptionsOf'> | undefined
}

/** Caps the subscriptions of a connection, for the calls that open one; the stages below open and end them. */
export function limitSubscriptions(options: LimitSubscriptionsOptions): RpcMiddleware<RpcContext> {
  const { metrics } = options
  /** Counts subscriptions that are asked for and not open yet: calls side by side must not pass the cap together. */
  const onTheWay = new WeakMap<RpcSession, number>()
  const count = (session: RpcSession, change: 1 | -1): void =>
    void onTheWay.set(session, (onTheWay.get(session) ?? 0) + change)

  async function subscribe(
    next: RpcHandler,
    request: RpcRequest,
    context: RpcContext,
    session: RpcSession,
  ): Promise<RpcResponse> {
    count(session, 1)
    const settled = (): void => count(session, -1)
    try {
      const response = await next(request, context)
      if (response.error === undefined && response.subscription !== undefined) {
        const { subscription } = response
        const counted = metrics === undefined ? subscription : countSubscription(subscription, request, metrics)
        return { ...response, subscription: withOnOpen(counted, settled) }
      }
      settled()
      return response
    } catch (thrown) {
      settled()
      throw thrown
    }
  }

  return (next) => (request, context) => {
    const { session } = context
    const { maxSubscriptions } = options
    if (session === undefined) return next(request, context)
    if (session.subscriptions.size + (onTheWay.get(session) ?? 0) < maxSubscriptions) {
      return subscribe(next, request, context, session)
    }
    const message = `at most ${maxSubscriptions} subscriptions fit a connection`
    return Promise.resolve({ error: { code: -32005, message } })
  }
}

/** Adds a callback to a subscription. Each one is opened, if only to be ended at once. */
function withOnOpen(subscription: RpcSubscription, onOpen: () => void): RpcSubscription {
  return {
    ...subscription,
    open(sink) {
      onOpen()
      return subscription.open(sink)
    },
  }
}
